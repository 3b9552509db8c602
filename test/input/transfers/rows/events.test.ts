/** Rows that contradict each other. */

import { expect, test } from "vitest";
import { csv, Folder, HEADER, OTHER_TOKEN, row, TOKEN } from "../../folder.ts";

test("two different rows with one block and log index, in two files", async () => {
  const folder = new Folder().write("a.csv", csv(HEADER, row({ block: 1 }), row({ block: 7 })));
  folder.write(
    "b.csv",
    csv(`${HEADER},token_address`, `${row()},${OTHER_TOKEN}`, `${row({ block: 7, value: 6 })},${TOKEN}`),
  );
  expect(await folder.refusal({ transfers: ["a.csv", "b.csv"] })).toBe(
    "Block 7 has two different transfers with log index 1: a.csv, row 2 and b.csv, row 2; remove the wrong one.",
  );
});

test("times that fall while blocks rise", async () => {
  const folder = new Folder().write(
    "transfers.csv",
    csv(HEADER, row({ block: 8, time: 1_599_999_999 }), row({ block: 7 })),
  );
  expect(await folder.refusal()).toBe(
    "Block 8 (transfers.csv, row 1) has the time 2020-09-13T12:26:39Z, but the earlier block 7 (transfers.csv, row 2) has 2020-09-13T12:26:40Z; correct one of them.",
  );
});

test("two times in one block", async () => {
  const folder = new Folder().write("transfers.csv", csv(HEADER, row(), row({ log: 2, time: 1_600_000_001 })));
  expect(await folder.refusal()).toBe(
    "Block 100 has two times: 2020-09-13T12:26:40Z in transfers.csv, row 1 and 2020-09-13T12:26:41Z in transfers.csv, row 2; correct one of them.",
  );
});
