import { join } from "node:path";
import { expect, test } from "vitest";
import { readAsset } from "../../../builder/input/asset/asset.ts";
import { digestInput } from "../../../builder/input/digest-input.ts";
import { joinShares } from "../../../builder/input/join-shares.ts";
import { surveyInput } from "../../../builder/input/survey.ts";
import { readShare } from "../../../builder/input/transfers/read-share.ts";
import { planShares, wholeReading } from "../../../builder/input/transfers/share-out.ts";
import type { HistoryFile } from "../../../builder/input/transfers/shares/share.ts";
import { csv, Folder, HEADER, OTHER_TOKEN, row, TEXTS, TOKEN } from "../folder.ts";

const file = (role: "transfers" | "blocks", name: string, bytes: number, counted?: [known: number, now: number]) => ({
  role,
  file: { name, path: join("nowhere", name), bytes },
  isSame: false,
  ...(counted && { known: { rows: counted[0] }, added: { rows: counted[1] } }),
});
const plan = (history: HistoryFile[], rows: number, since?: HistoryFile[]) =>
  planShares(
    { contract: TOKEN },
    { history },
    { rows: () => rows, folder: "nowhere", memory: 0, ...(since && { since: { lastBlock: 9, files: since } }) },
  );

test("few rows, by the sizes of the files, are one share, and no file is opened", async () => {
  const history = [
    file("transfers", "a.csv", 12_500),
    file("transfers", "b.parquet", 500),
    file("blocks", "c.csv", 1e9),
  ];
  expect(await plan(history, 150)).toEqual({
    shares: [{ files: [0, 1, 2] }],
    counts: [null, null, null],
    rows: 150,
    sorted: {},
  });
  await expect(plan(history, 149)).rejects.toThrow("a.csv can't be read");
});

test("a build that resumes expects the rows that the survey has counted in files that have grown", async () => {
  const history = [file("transfers", "a.csv", 1e9, [7_000_000, 7_000_100]), file("transfers", "b.csv", 1e9)];
  expect(await plan(history, 100, [history[0]!])).toMatchObject({ shares: [{ files: [0] }], rows: 100, after: 9 });
});

test("of a file that is the same, it expects those that came after the checkpoint", async () => {
  const same = { ...file("transfers", "a.parquet", 1e9), isSame: true, known: { rows: 7_000_000, rowsAfter: 80 } };
  const history = [same, file("transfers", "b.csv", 1e9)];
  expect(await plan(history, 80, [same])).toMatchObject({ shares: [{ files: [0] }], rows: 80, after: 9 });
});

test("rows that wrong statistics hide are missed", async () => {
  const folder = await new Folder().parquet("transfers.parquet", `FROM ${TEXTS}`);
  const asset = await readAsset(folder.asset({ transfers: "transfers.parquet" }));
  const survey = await surveyInput(asset, await digestInput(asset));
  const reading = { ...wholeReading(survey), counts: [{ all: 4, ofAsset: 4 }] };
  const share = await readShare(asset, survey, reading, 0);
  expect(() => joinShares(asset, survey, reading, [share], { addresses: 3 })).toThrow(
    "transfers.parquet: reading by block numbers found 3 of 4 rows; the statistics of its row groups are wrong, so write the file again.",
  );
});

test("addresses are counted over all files where that matters, within some percent", async () => {
  const address = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;
  // 30,000 addresses: those that receive in one file send in the other.
  const lines = (first: number, block: number) =>
    Array.from({ length: 10_000 }, (_, i) =>
      row({ block: block + i, from: address(first + i), to: address(first + 10_000 + i) }),
    );
  const folder = new Folder();
  folder.write("a.csv", csv(HEADER.replace("from", "From"), ...lines(1, 100)));
  folder.write("b.csv", csv(HEADER, ...lines(10_001, 20_000)));
  const asset = await readAsset(folder.asset({ transfers: ["a.csv", "b.csv"] }));
  const survey = await surveyInput(asset, await digestInput(asset));
  const options = { rows: () => 5_000, folder: folder.path, memory: 0 };
  const { addresses } = await planShares(asset, survey, { ...options, countsAddresses: () => true });
  expect(addresses).toBeGreaterThan(25_000);
  expect(addresses).toBeLessThan(35_000);
  expect(await planShares(asset, survey, options)).not.toHaveProperty("addresses");
});

test("a large file is read by blocks whatever separates its cells and whatever the column of contracts is called", async () => {
  const line = (block: number) => `${row({ block, time: 1_600_000_000 + block })},${block % 2 ? TOKEN : OTHER_TOKEN}`;
  const lines = Array.from({ length: 8_000 }, (_, i) => line(7_999 - i));
  const text = csv(`${HEADER},Contract_Address`, ...lines).replaceAll(",", ";");
  const folder = new Folder().write("transfers.csv", text);
  const asset = await readAsset(folder.asset());
  const survey = await surveyInput(asset, await digestInput(asset));
  const reading = await planShares(asset, survey, { rows: () => 2_000, folder: folder.path, memory: 0 });
  expect(reading).toMatchObject({ rows: 4_000, counts: [{ all: 8_000, ofAsset: 4_000 }] });
  expect(Object.keys(reading.sorted)).toEqual(["0"]);
  const shares = await Promise.all(reading.shares.map((_, index) => readShare(asset, survey, reading, index)));
  expect(shares.length).toBeGreaterThan(1);
  expect(shares.reduce((sum, { history }) => sum + history.rows, 0)).toBe(4_000);
});
