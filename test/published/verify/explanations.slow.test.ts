/** Why a history was restated, in the words of `verify`: what was added explains it as well as what has changed. */

import { describe, expect, it } from "vitest";
import { formatVerification } from "../../../builder/published/verify/verify.ts";
import { buildKey } from "../../../data-schema/stored/objects.ts";
import { runBuild } from "../../build/checkpoint/nights.ts";
import { ALICE, AS_OF, BOB, EARLY, newTokenFolder, PRICES, transfer } from "../../build/checkpoint/two-nights.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { manifestIn, verifyIn } from "./published.ts";

const asOf = AS_OF.first;

async function explanationAfter(
  first: Record<string, unknown>,
  second: Record<string, unknown>,
  change: (store: MemoryStore) => void = () => {},
): Promise<string> {
  const folder = newTokenFolder();
  folder.csv("transfers-1.csv", EARLY);
  folder.prices(PRICES);
  const store = new MemoryStore();
  await runBuild(store, folder.asset({ asOf, ...first }));
  if (second.late) folder.csv("transfers-2.csv", [{ ...transfer(2, ALICE, BOB, 1n), logIndex: 5 }]);
  await runBuild(store, folder.asset({ asOf, ...second, late: undefined }));
  change(store);
  const text = formatVerification(await verifyIn(store, "TOK"));
  expect(text).toContain("History restated since build");
  return text.match(/What may explain it: (.*)\.$/m)?.[1] ?? "";
}

describe("what may explain a restated history", () => {
  it.each([
    ["prices", { prices: undefined }, "prices before 2024-02-03 have changed, prices prices.csv is new"],
    [
      "labels",
      { exchanges: undefined },
      "the label of 0xcacacacacacacacacacacacacacacacacacacaca has changed (binance, was none), exchanges exchanges.csv is new",
    ],
  ])("are added %s", async (_, first, expected) => {
    expect(await explanationAfter(first, {})).toBe(expected);
  });

  it("is a new file of transfers, if nothing else is new, and the months that it changes", async () => {
    expect(await explanationAfter({}, { late: true })).toBe(
      "2024-02 (2 rows, were 1), 1 new file of transfers or blocks, in which late or corrected rows may be",
    );
  });

  it("is a role whose files differ, if the list of files is gone", async () => {
    const forget = (store: MemoryStore) => store.objects.delete(buildKey("TOK", manifestIn(store, "TOK").build));
    expect(await explanationAfter({ prices: undefined }, {}, forget)).toBe(
      "prices before 2024-02-03 have changed, the input prices is new",
    );
  });
});
