/** Options of the last release go on working, and say what they are called now. */

import { expect, it } from "vitest";
import { soprano } from "../commands/soprano.ts";

const URL = "http://127.0.0.1:9";

it.each([
  [["--no-check"], "--no-check is now --check none"],
  [["--check-limit", "20"], "--check-limit 20 is now --check 20"],
])("an option of 0.3.0 is told its new name: %s", async (given, sentence) => {
  const { status, stderr } = await soprano("fetch", "missing.json", "--rpc", URL, ...given);
  expect(status).toBe(1);
  expect(stderr).toContain(`${sentence}; the old name goes with the next release.`);
});

it.each(["due", "all", "none", "20"])("--check takes %s, without a notice", async (check) => {
  const { status, stderr } = await soprano("fetch", "missing.json", "--rpc", URL, "--check", check);
  expect(status).toBe(1);
  expect(stderr).not.toContain("is now");
});

it.each(["some", "0", "1.5", ""])("--check refuses %j in one sentence", async (check) => {
  const { status, stderr } = await soprano("fetch", "missing.json", "--rpc", URL, "--check", check);
  expect(status).toBe(2);
  expect(stderr).toContain("It must be due, all, none, or a number of holders.");
});
