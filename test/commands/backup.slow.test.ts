/** A backup, from a bucket to a folder to another place, verified and served. */

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newFolder } from "../folders.ts";
import { variant } from "../published/verify/published.ts";
import { BUCKET, type S3, startFilesS3 } from "../store/s3.ts";
import { digests, readPublished } from "./published.ts";
import { serve, soprano, sopranoIn } from "./soprano.ts";

const folder = newFolder();
let s3: S3;
beforeAll(async () => {
  s3 = await startFilesS3();
});
afterAll(() => s3.close());

it("moves a bucket to this machine, where it is verified and serves the same", async () => {
  cpSync("examples/token", join(folder, "token"), { recursive: true });
  const asset = variant(join(folder, "token", "asset.json"), "asset.json", { resolutions: ["day"] });
  const [here, moved, backup] = ["here", "moved", "backup"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const store = ["--store", `r2://${BUCKET}`];
  const run = (...args: string[]) => sopranoIn(s3.environment, ...args, "--quiet");
  for (const place of [store, ["--persist", here]]) {
    expect(await run("build", asset, ...place)).toMatchObject({ status: 0 });
  }
  const key = (await soprano("keys", "create", "--name", "me", "--persist", here)).stdout.trim();

  const made = await run("backup", "--to", backup, ...store, "--no-keys", "--verify");
  expect(made).toMatchObject({ status: 0, stderr: "" });
  expect(made.stdout).toMatch(/ is whole: .*\n.*backup: [\d,]+ objects, [\d.]+ MB, of which [\d,]+ objects/s);
  expect((await run("backup", "--to", backup, ...store, "--no-keys")).stdout).toContain("of which 0 objects");
  // What says nothing of keys asks for a token.
  expect(await run("backup", "--to", backup, ...store)).toMatchObject({ status: 1 });

  const hashes = join(folder, "keys.json");
  const exported = await run("keys", "export", "--persist", here);
  expect(exported.stdout).not.toContain(key);
  writeFileSync(hashes, exported.stdout);
  const restored = await run("restore", "--from", backup, "--persist", moved);
  expect(restored).toMatchObject({ status: 0, stdout: expect.stringMatching(/ is whole: .*; 0 keys added\n$/s) });
  expect((await run("keys", "import", hashes, "--persist", moved)).stdout).toBe("1 key added, 0 there already\n");
  expect((await run("keys", "import", hashes, "--persist", moved)).stdout).toBe("0 keys added, 1 there already\n");
  expect(await run("keys", "import", asset, "--persist", moved)).toMatchObject({
    status: 1,
    stderr: "soprano: The keys can't be read: give what keys export has printed, as it is.\n",
  });
  expect(digests(await readPublished(moved), "series/")).toEqual(digests(await readPublished(here), "series/"));

  const sample = async (persist: string) => {
    const server = await serve(persist);
    const [, symbol] = /"symbol": *"(\w+)"/.exec(await fetch(`${server.url}/v3/assets`).then((it) => it.text()))!;
    const answer = await fetch(`${server.url}/v3/series?a=${symbol}&m=sopr,price&f=csv`, {
      headers: { "X-Api-Key": key },
    });
    const body = await answer.text();
    await server.stop();
    return [answer.status, body];
  };
  const [status, body] = await sample(moved);
  expect(status).toBe(200);
  expect(await sample(here)).toEqual([status, body]);
});
