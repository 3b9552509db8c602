/** Answers of APIs are unpacked beside a database, once, and are gone with it. */

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { withDatabase } from "../../../builder/input/duckdb/database.ts";
import { openInputTable } from "../../../builder/input/duckdb/input-table.ts";
import { recordLists, unpacked } from "../../../builder/input/duckdb/unpacked-json.ts";

const folder = mkdtempSync(join(tmpdir(), "soprano-unpacked-test-"));
const path = join(folder, "answer.json");
writeFileSync(path, '{"result": [{"a": 1},\n {"a": 2}]}\n{"result": []}\n{"result": [{"a": 3}]}');
const file = { name: "answer.json", path, bytes: statSync(path).size };
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test("once for a database, and removed with it", async () => {
  const lists = (await recordLists(file))!;
  const written = await withDatabase(1, async (connection) => {
    const first = await unpacked(connection, file, lists);
    expect(readFileSync(first, "utf8")).toBe('[{"a": 1},\n {"a": 2},\n{"a": 3}]');
    expect(await unpacked(connection, file, lists)).toBe(first);
    return first;
  });
  expect(existsSync(dirname(written))).toBe(false);
});

test("a folder that can't be written is named", async () => {
  vi.stubEnv("TMPDIR", path);
  await expect(withDatabase(1, (connection) => openInputTable(connection, file))).rejects.toThrow(
    `answer.json can't be unpacked in ${path} (`,
  );
});
