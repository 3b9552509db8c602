import { expect, test } from "vitest";
import { withDatabase } from "../../../builder/input/duckdb/database.ts";

const cells = (sql: string) =>
  withDatabase(1, async (connection) => (await connection.runAndReadAll(sql)).getRows().flat());

test("what somebody sets does not hold for the next one", async () => {
  await withDatabase(1, (connection) =>
    connection.run("SET TimeZone = 'Asia/Tokyo'; SET streaming_buffer_size = '7MB'"),
  );
  const settings = ["TimeZone", "streaming_buffer_size"].map((name) => `current_setting('${name}')`);
  expect(await cells(`SELECT ${settings.join()}`)).toEqual(["UTC", "976.5 KiB"]);
});

test("two at the same time, and whoever comes after a failure, get what they ask for", async () => {
  expect(await Promise.all([cells("SELECT 1"), cells("SELECT 2")])).toEqual([[1], [2]]);
  await expect(withDatabase(1, () => Promise.reject(new Error("no room")))).rejects.toThrow("no room");
  expect(await cells("SELECT 3")).toEqual([3]);
});
