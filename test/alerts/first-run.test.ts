/** The first run of rules: it posts nothing, but says what it remembers, and which secret is missing. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { readRules } from "../../builder/alerts/alert-rules.ts";
import { alert } from "../../builder/alerts/alerts.ts";
import { runBuild } from "../build/checkpoint/nights.ts";
import { scratchFolder } from "../folders.ts";
import { MemoryStore } from "../store/memory-store.ts";

const published = new MemoryStore();
beforeAll(async () => {
  await runBuild(published, "examples/token/asset.json");
});

async function firstRun(env: Record<string, string>) {
  const file = join(scratchFolder(), "ALERTS.json");
  const rule = (name: string, post: string, format: string) => ({ name, assets: "*", when: "price > 0", post, format });
  const rules = [rule("Priced", "HOOK", "json"), rule("Chatty", "CHAT", "telegram")];
  writeFileSync(file, JSON.stringify({ rules }));
  const store = new MemoryStore();
  for (const [key, object] of published.objects) store.objects.set(key, object);
  const said = { sent: [] as string[], remembered: [] as string[], failed: [] as string[] };
  const run = async () =>
    alert(await readRules(file), store, {
      symbols: ["TINY"],
      assetFile: async () => "examples/token/asset.json",
      env,
      sent: (text) => said.sent.push(text),
      remembered: (text) => said.remembered.push(text),
      failed: (text) => said.failed.push(text),
    });
  const isWhole = await run();
  return { isWhole, ...said, again: run };
}

const REMEMBERED = [
  "Priced: new on TINY (up to 2024-01-02); rows after that will be posted to HOOK",
  "Chatty: new on TINY (up to 2024-01-02); rows after that will be posted to CHAT",
];

it("says what it remembers, once", async () => {
  const env = { HOOK: "https://a.example/", CHAT: "https://b.example/?chat_id=1" };
  const { isWhole, sent, remembered, failed, again } = await firstRun(env);
  expect([isWhole, sent, failed]).toEqual([true, [], []]);
  expect(remembered).toEqual(REMEMBERED);
  expect(await again()).toBe(true);
  expect(remembered).toHaveLength(2);
});

it("tells variables that are not set, or hold no URL, without their values", async () => {
  const missing = await firstRun({});
  expect(missing).toMatchObject({ isWhole: false, remembered: REMEMBERED });
  expect(missing.failed).toEqual([
    "HOOK is not set: it must hold the URL to which alerts are posted.",
    "CHAT is not set: it must hold the URL to which alerts are posted.",
  ]);
  expect((await firstRun({ HOOK: "secret", CHAT: "https://b.example/secret" })).failed).toEqual([
    "the URL of HOOK holds no URL: correct it before the first alert.",
    "the URL of CHAT has no chat_id in its query: correct it before the first alert.",
  ]);
});
