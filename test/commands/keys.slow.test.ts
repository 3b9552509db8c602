/** API keys from the command line to the Worker. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLocalState } from "../../builder/store/local/local.ts";
import { createKey } from "../../builder/store/stored-keys.ts";
import { newFolder } from "../folders.ts";
import { type RunningServer, serve, soprano } from "./soprano.ts";

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
  const [, id = ""] = listed.match(/^(\S+) .*carol$/m) ?? [];
  expect(await keys("revoke", id)).toMatchObject({ status: 0 });
  const after = (await keys("list")).stdout;
  expect(after).toMatch(/active .* alice$/m);
  expect(after).toMatch(/revoked .* carol$/m);
  for (const key of [alice, past, gone]) expect(after).not.toContain(key);
  expect(await keys("revoke", "nobody")).toMatchObject({ status: 1, stderr: expect.stringMatching(/nobody/) });

  const served = await serve(persist);
  server = served;
  // What it says to do works as it is printed.
  const [, line = ""] = served.stdout.match(/npx soprano (keys create .*)/) ?? [];
  expect(await soprano(...line.split(" "))).toMatchObject({ status: 0 });
  expect((await keys("list")).stdout).toMatch(/active .* NAME$/m);
  expect(served.stdout).toContain(`  explorer: ${served.url}/\n`);
  const status = async (key: string) => (await fetch(`${server.url}/v1/metrics/sopr?a=KEY&api_key=${key}`)).status;
  expect(await status(alice)).toBe(200);
  expect(await status(alice.toUpperCase())).toBe(200);
  expect(await status(past)).toBe(403);
  expect(await status(gone)).toBe(403);
  expect(await status("00000000-0000-4000-8000-000000000000")).toBe(401);
});

it("that are public are shown as such, also after a rotation", async () => {
  const id = async (...args: string[]) => (await keys(...args)).stderr.match(/Key (\S+) (?:for|replaces)/)![1]!;
  const row = async (id: string) => (await keys("list")).stdout.split("\n").find((line) => line.startsWith(id));
  const [open, own] = [await id("create", "--name", "explorer", "--public"), await id("create", "--name", "jo")];
  expect(await row(open)).toMatch(/ active +standard +yes .* explorer$/);
  expect(await row(own)).toMatch(/ active +standard +no .* jo$/);
  expect(await row(await id("rotate", open))).toMatch(/ active +standard +yes .* explorer$/);
});

describe("rotating a key", () => {
  const status = async (key: string) =>
    (await fetch(`${server.url}/v1/metrics/sopr?a=KEY`, { headers: { Authorization: `Bearer ${key}` } })).status;
  const made = async (...options: string[]) => {
    const { stdout, stderr } = await keys("create", ...options);
    const [, id = ""] = stderr.match(/^Key (\S+) for/)!;
    return { key: stdout.trim(), id };
  };
  const row = async (id: string) => (await keys("list")).stdout.split("\n").find((line) => line.startsWith(id))!;

  it("ends the old one and makes a new one with its name, plan and expiry", async () => {
    const old = await made("--name", "Erin Example", "--plan", "free", "--expires", "2999-01-01");
    const rotated = await keys("rotate", old.id);
    expect(rotated.stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    const [, replacement = ""] = rotated.stderr.match(/^Key \S+ is revoked: .* Key (\S+) replaces it:\n$/)!;
    expect(await row(old.id)).toMatch(/ revoked +free .*2999-01-01\S+ +Erin Example$/);
    expect(await row(replacement)).toMatch(/ active +free .*2999-01-01\S+ +Erin Example$/);
    expect([await status(rotated.stdout.trim()), await status(old.key)]).toEqual([200, 403]);
    expect(await keys("rotate", old.id)).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/no longer works/),
    });
  });

  it("lets the old one work on for a time of grace, but not beyond its own", async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString().replace(/\..*/, "Z");
    const [endless, short] = [await made("--name", "fay"), await made("--name", "gus", "--expires", soon)];
    const before = Date.now();
    const rotated = await keys("rotate", endless.id, "--grace", "24h");
    const [, until = ""] = rotated.stderr.match(/works until (\S+)\. /)!;
    expect(Date.parse(until) - before - 24 * 3_600_000).toBeGreaterThanOrEqual(0);
    expect(Date.parse(until)).toBeLessThanOrEqual(Date.now() + 24 * 3_600_000);
    expect(await row(endless.id)).toMatch(/ active +standard /);
    expect(await row(endless.id)).toContain(until);
    expect([await status(rotated.stdout.trim()), await status(endless.key)]).toEqual([200, 200]);
    expect((await keys("rotate", short.id, "--grace", "7d")).stderr).toContain(
      `works until ${soon.replace("Z", ".000Z")}. `,
    );
  });

  it.each(["24", "1w"])("takes no grace of %s", async (grace) => {
    expect(await keys("rotate", "x", `--grace=${grace}`)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/24h/),
    });
  });
});

it("are counted by serve, by day and key, for keys usage --local", async () => {
  const { stdout, stderr } = await keys("create", "--name", "counted");
  const [, id = ""] = /Key (\S+) for/.exec(stderr)!;
  const headers = { "X-Api-Key": stdout.trim() };
  for (let n = 0; n < 3; n++) await (await fetch(`${server.url}/v1/metrics/sopr?a=KEY`, { headers })).text();
  const usage = async (...args: string[]) => (await soprano("keys", "usage", "--local", persist, ...args)).stdout;
  const ownUsage = async () => JSON.parse(await usage("--key", id.slice(0, 6), "--json"))[0];
  // It is written every other second.
  await expect.poll(ownUsage, { timeout: 20_000 }).toMatchObject({ requests: 3 });
  const own = await ownUsage();
  expect(own).toMatchObject({ key: id, requests: 3, day: new Date().toISOString().slice(0, 10) });
  expect(own.points).toBeGreaterThan(0);
  expect(own.bytes).toBeGreaterThan(0);
  expect(await usage()).toMatch(new RegExp(`${id} +3 .* counted$`, "m"));
});

it("a key's plan is its limit", async () => {
  const key = (await keys("create", "--name", "hal", "--plan", "free")).stdout.trim();
  const answers: Response[] = [];
  // More than two windows allow: wherever the minute ends, one window is full.
  for (let i = 0; i < 121; i++) {
    answers.push(await fetch(`${server.url}/v1/metrics/sopr?a=KEY`, { headers: { "X-Api-Key": key } }));
  }
  expect(answers[0]?.headers.get("RateLimit-Policy")).toBe('"free";q=60;w=60');
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers.get("Retry-After")).toBe("60");
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
});

// The last test that requests anything: this address has no requests left afterwards.
it("an address that guesses keys is stopped", async () => {
  const statuses = new Set<number>();
  for (let i = 0; i < 241; i++) {
    statuses.add((await fetch(`${server.url}/v1/metrics/sopr?a=KEY&api_key=demo`)).status);
  }
  expect(statuses).toEqual(new Set([401, 429]));
});

it("a record that was damaged by hand is named by the list, and no other key suffers", async () => {
  const state = await openLocalState(persist);
  await state.keys.put("key:by-hand", "{");
  await state.close();
  const [, id = ""] = (await keys("create", "--name", "ida")).stderr.match(/^Key (\S+) for/)!;
  expect(await keys("list")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(" ida\n"),
    stderr: expect.stringMatching(/^The record key:by-hand can't be read, so its key is refused: .*\n$/),
  });
  expect(await keys("revoke", id)).toMatchObject({ status: 0 });
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
  [["--name", "dora", "--expires", "2027"], "--expires.*a future time"],
  [["--name", "dora", "--expires", "2020-01-01"], "--expires.*a future time"],
  [["--name", "dora", "--plan", "gold"], "--plan.*free, standard, unlimited"],
  [["--name", " "], "--name.*not empty"],
  [["--name", "do\tra"], "--name.*one line"],
  [["--name", "dora", "--persist", ""], "--persist.*path of a folder"],
])("are not made with %j", async (options, sentence) => {
  const made = await soprano("keys", "create", ...options);
  expect(made).toMatchObject({ status: 2, stdout: "", stderr: expect.stringMatching(new RegExp(sentence)) });
});
