import { expect, it } from "vitest";
import { sharedBytes } from "../../builder/columns/shared.ts";
import type { Timeline } from "../../builder/engine/timeline.ts";
import type { LabelledAddresses } from "../../builder/incremental/checkpoint-rows.ts";
import { changedLabels, seenAddresses } from "../../builder/incremental/seen-addresses.ts";

const address = (byte: string) => byte.repeat(20);
const NAMES = ["00", "0b", "0a", "0c", "0d"];
const GROUPS = [0, 1, 2, 3, 4];

/** A timeline with an event per row, `[seconds, sender, receiver, value]`, of the addresses of `NAMES`. */
function timeline(...rows: [time: number, from: number, to: number, value: number][]): Timeline {
  const addresses = sharedBytes(20 * NAMES.length);
  addresses.set(Buffer.from(NAMES.map(address).join(""), "hex"));
  const groups = sharedBytes(GROUPS.length);
  groups.set(GROUPS);
  const history = {
    ...{ rows: rows.length, addresses, valueWords: 1 },
    timestamp: Float64Array.from(rows, ([time]) => time),
    from: Uint32Array.from(rows, ([, from]) => from),
    to: Uint32Array.from(rows, ([, , to]) => to),
    values: Uint32Array.from(rows, ([, , , value]) => value),
  };
  return { history, groups } as unknown as Timeline;
}

const listed = (seen: Iterable<LabelledAddresses>) =>
  [...seen].flatMap(({ rows, addresses, labels }) =>
    [...labels.subarray(0, rows)].map((label, row) => [
      Buffer.from(addresses.slice(20 * row, 20 * row + 1)).toString("hex"),
      label,
    ]),
  );

it("lists who moved tokens before a time, sorted, without the zero address", () => {
  const seen = seenAddresses(timeline([1, 0, 1, 5], [2, 1, 2, 5], [9, 2, 3, 5], [10, 3, 4, 5]), 10);
  // 0b has sold everything; 0d receives its first tokens at the checkpoint.
  expect(listed(seen)).toEqual([
    ["0a", 2],
    ["0b", 1],
    ["0c", 3],
  ]);
});

it("skips transfers of value 0 and transfers from an address to itself", () => {
  expect(listed(seenAddresses(timeline([1, 0, 1, 5], [2, 3, 2, 0], [3, 4, 4, 5]), 10))).toEqual([["0b", 1]]);
});

it("keeps the addresses of the last checkpoint, each once", () => {
  const before = seenAddresses(timeline([1, 0, 1, 5], [2, 1, 4, 5]), 10);
  expect(listed(seenAddresses(timeline([11, 4, 3, 5], [12, 3, 1, 5]), 20, before))).toEqual([
    ["0b", 1],
    ["0c", 3],
    ["0d", 4],
  ]);
});

it("finds the labels that have changed, and names the first address", () => {
  const seen = [...seenAddresses(timeline([1, 0, 1, 5], [2, 1, 2, 5]), 10)];
  const labels = (...groups: [byte: string, group: number][]) => ({
    ...{ groups: new Map(groups.map(([byte, group]) => [`0x${address(byte)}`, group])), notices: [] },
  });
  expect(changedLabels(seen, labels(["0a", 2], ["0b", 1], ["0d", 7]))).toBeUndefined();
  expect(changedLabels(seen, labels(["0b", 7]))).toEqual({
    count: 2,
    first: { address: `0x${address("0a")}`, before: 2, now: 0 },
  });
});
