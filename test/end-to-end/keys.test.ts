/** API keys from the command line to the Worker. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKey } from "../../builder/keys.ts";
import { openLocalState } from "../../builder/store/local.ts";
import { newFolder, type RunningServer, serve, soprano } from "./command-line.ts";

const folder = newFolder();
const persist = join(folder, "state");
let server: RunningServer;

const keys = (...args: string[]) => soprano("keys", ...args, "--persist", persist);

beforeAll(async () => {
  const token = ["--out", join(folder, "token"), "--transfers", "2000", "--days", "60", "--symbol", "KEY"];
  expect(await soprano("simulate", ...token)).toMatchObject({ status: 0 });
  const built = await soprano("build", join(folder, "token", "asset.json"), "--persist", persist);
  expect(built).toMatchObject({ status: 0 });
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it("are made, listed, expire and are revoked, and are never stored", async () => {
  const made = await keys("create", "--name", "alice");
  expect(made.stdout).toMatch(/^[0-9a-f-]{36}\n$/);
  const alice = made.stdout.trim();
  const state = await openLocalState(persist);
  const { key: past } = await createKey(state.keys, { name: "bob", expires: "2020-01-01T00:00:00.000Z" });
  await state.close();
  const gone = (await keys("create", "--name", "carol")).stdout.trim();

  const listed = (await keys("list")).stdout;
  const [, id] = listed.match(/^(\S+) .*carol$/m) ?? [];
  expect(await keys("revoke", id)).toMatchObject({ status: 0 });
  const after = (await keys("list")).stdout;
  expect(after).toMatch(/active .* alice$/m);
  expect(after).toMatch(/revoked .* carol$/m);
  for (const key of [alice, past, gone]) expect(after).not.toContain(key);
  expect(await keys("revoke", "nobody")).toMatchObject({ status: 1, stderr: expect.stringMatching(/nobody/) });

  server = await serve(persist);
  const status = async (key: string) => (await fetch(`${server.url}/v1/metrics/sopr?a=KEY&api_key=${key}`)).status;
  expect(await status(alice)).toBe(200);
  expect(await status(alice.toUpperCase())).toBe(200);
  expect(await status(past)).toBe(403);
  expect(await status(gone)).toBe(403);
  expect(await status("00000000-0000-4000-8000-000000000000")).toBe(401);
});

it("serve says so when its port is taken", async () => {
  const { port } = new URL(server.url);
  const second = await soprano("serve", "--port", port, "--persist", persist);
  expect(second).toMatchObject({
    status: 1,
    stderr: `soprano: Port ${port} on 127.0.0.1 is taken: choose another one with --port.\n`,
  });
});

it.each([
  [["--name", "dora", "--expires", "2027"], "--expires.*a time to come"],
  [["--name", "dora", "--expires", "2020-01-01"], "--expires.*a time to come"],
  [["--name", " "], "--name.*not empty"],
  [["--name", "do\tra"], "--name.*one line"],
  [["--name", "dora", "--persist", ""], "--persist.*path of a folder"],
])("are not made with %j", async (options, sentence) => {
  const made = await soprano("keys", "create", ...options);
  expect(made).toMatchObject({ status: 2, stdout: "", stderr: expect.stringMatching(new RegExp(sentence)) });
});
