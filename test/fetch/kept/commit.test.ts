import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { commit, finishCommit, recordOnly, stagedFolder } from "../../../builder/fetch/kept/commit.ts";
import { type Fetched, formatFetched, readFetched } from "../../../builder/input/fetched/fetched.ts";

const entry = (name: string, from: number): Fetched["files"][number] => ({
  file: `transfers/${name}.parquet`,
  from,
  to: from + 9,
  lastHash: `0x${"ab".repeat(32)}`,
  rows: 1,
  bytes: 3,
  sha256: "cd".repeat(32),
  source: "rpc",
});

const record = (names: string[]): Fetched => ({
  schema: 2,
  chainId: 1,
  contract: `0x${"70".repeat(20)}`,
  terms: { events: "erc20" },
  asOf: "2020-01-03T00:00:00Z",
  files: names.map((name, index) => entry(name, 10 * index)),
});

const OLD = record(["2019-12"]);
const NEW = record(["2019-12", "2020-01-01", "2020-01-02"]);

/** Inputs of one old file, with two new ones and a table staged. */
function inputs(): string {
  const folder = mkdtempSync(join(tmpdir(), "soprano-commit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const staged = stagedFolder(folder);
  for (const path of [join(folder, "transfers"), join(staged, "transfers")]) mkdirSync(path, { recursive: true });
  writeFileSync(join(folder, "transfers/2019-12.parquet"), "old");
  writeFileSync(join(folder, "contracts.csv"), "old table");
  writeFileSync(join(folder, "fetch.json"), formatFetched(OLD));
  for (const name of ["2020-01-01", "2020-01-02"]) writeFileSync(join(staged, `transfers/${name}.parquet`), name);
  writeFileSync(join(staged, "contracts.csv"), "new table");
  return folder;
}

async function contentOf(folder: string) {
  const names = readdirSync(join(folder, "transfers")).sort();
  return {
    record: await readFetched(folder),
    table: readFileSync(join(folder, "contracts.csv"), "utf8"),
    files: Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, "transfers", name), "utf8")])),
    isClean: !existsSync(stagedFolder(folder)),
  };
}

const BEFORE = { record: OLD, table: "old table", files: { "2019-12.parquet": "old" }, isClean: true };
const AFTER = {
  record: NEW,
  table: "new table",
  files: { "2019-12.parquet": "old", "2020-01-01.parquet": "2020-01-01", "2020-01-02.parquet": "2020-01-02" },
  isClean: true,
};

describe("commit", () => {
  it("puts all into place", async () => {
    const folder = inputs();
    await commit(folder, NEW);
    expect(await contentOf(folder)).toEqual(AFTER);
  });

  it("replaces an old file that is staged, too", async () => {
    const folder = inputs();
    writeFileSync(join(stagedFolder(folder), "transfers/2019-12.parquet"), "repaired");
    await commit(folder, NEW);
    expect(await contentOf(folder)).toEqual({ ...AFTER, files: { ...AFTER.files, "2019-12.parquet": "repaired" } });
  });
});

describe("finishCommit", () => {
  it("drops what was staged before the point of no return", async () => {
    const folder = inputs();
    writeFileSync(join(stagedFolder(folder), "fetch.json.unfinished"), "{");
    await finishCommit(folder);
    expect(await contentOf(folder)).toEqual(BEFORE);
  });

  const moves = ["transfers/2020-01-01.parquet", "transfers/2020-01-02.parquet", "contracts.csv", "fetch.json"];
  it.each([0, 1, 2, 3, 4])("finishes after %i of the renames", async (done) => {
    const folder = inputs();
    writeFileSync(join(stagedFolder(folder), "fetch.json"), formatFetched(NEW));
    for (const name of moves.slice(0, done)) renameSync(join(stagedFolder(folder), name), join(folder, name));
    await finishCommit(folder);
    expect(await contentOf(folder)).toEqual(AFTER);
    await finishCommit(folder);
    expect(await contentOf(folder)).toEqual(AFTER);
  });
});

it("recordOnly replaces the record alone", async () => {
  const folder = inputs();
  await recordOnly(folder, { ...OLD, labels: "none" });
  expect(await readFetched(folder)).toEqual({ ...OLD, labels: "none" });
});
