/**
 * Every command that a message advises, walked: what the message prints is parsed out of it and run as it is, with a state
 * folder and with a bucket. Refusals of `soprano fetch` have a test of their own, test/fetch/advice.node.test.ts.
 */

import { cpSync, existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Fetched } from "../../builder/input/fetched/fetched.ts";
import { withStore } from "../../builder/store/open.ts";
import type { ObjectStore } from "../../builder/store/store.ts";
import { currentKey, SHA256_METADATA } from "../../data-schema/stored/objects.ts";
import { fakeEconomy } from "../fetch/chain/fake-chain.ts";
import { FakeNode } from "../fetch/chain/fake-node.ts";
import { FetchFolder } from "../fetch/fetching.ts";
import { newFolder, scratchFolder } from "../folders.ts";
import { buildInto, changeValue, variant } from "../published/verify/published.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { BUCKET, type S3, startFilesS3 } from "../store/s3.ts";
import { type Outcome, sopranoIn } from "./soprano.ts";

/** With a space: what is copied must be quoted. */
const folder = join(newFolder(), "my token");
cpSync("examples/token", folder, { recursive: true });
const asset = variant(join(folder, "asset.json"), "asset.json", { resolutions: ["day"] });
/** A day earlier. */
const older = variant(asset, "older.json", { asOf: "2024-01-02T00:00:00Z" });
/** Without its last transfer. */
const fewer = variant(asset, "fewer.json", { transfers: "fewer.csv" });
writeFileSync(join(folder, "fewer.csv"), readFileSync(join(folder, "transfers.csv"), "utf8").replace(/[^\n]+\n$/, ""));
const DAY = 24;

let s3: S3;
beforeAll(async () => {
  s3 = await startFilesS3();
});
afterAll(async () => {
  await s3.close();
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

const PLACES = { "a state folder": ["--persist", join(folder, "state")], "a bucket": ["--store", `r2://${BUCKET}`] };

/** Where a case is played. */
class Scene {
  readonly place: readonly string[];
  variables: Record<string, string | undefined> = s3.environment;

  constructor(place: readonly string[]) {
    this.place = place;
  }

  get isBucket(): boolean {
    return this.place[0] === "--store";
  }

  /** Runs a command that is told where the store is. */
  run(...args: string[]): Promise<Outcome> {
    return this.runAsIs(...args, ...this.place);
  }

  runAsIs(...args: string[]): Promise<Outcome> {
    return sopranoIn(this.variables, ...args);
  }

  async done(...args: string[]): Promise<string> {
    const outcome = await this.run(...args);
    expect(outcome).toMatchObject({ status: 0 });
    return outcome.stdout;
  }

  store<T>(use: (store: ObjectStore) => Promise<T>): Promise<T> {
    const [option, value] = this.place as [string, string];
    return withStore({ persist: value, ...(option === "--store" && { store: value }) }, this.variables, use);
  }

  /** Removes an object; returns what puts it back. */
  remove(key: string): Promise<() => Promise<void>> {
    return this.store(async (store) => {
      const { bytes, metadata } = (await store.get(key))!;
      await store.delete([key]);
      return () => this.store((there) => put(there, key, bytes, metadata));
    });
  }
}

async function put(store: ObjectStore, key: string, bytes: Uint8Array, metadata: Readonly<Record<string, string>>) {
  const { [SHA256_METADATA]: sha256, ...rest } = metadata;
  await store.put(key, bytes, { contentType: "application/octet-stream", sha256: sha256!, metadata: rest });
}

interface Case {
  /** Makes something wrong, and runs the command that says so. */
  provoke(scene: Scene): Promise<Outcome>;
  /** What the reader puts in the place of words of the advice. */
  fill?: Record<string, string>;
  /** Where it can happen. Default: both. */
  only?: keyof typeof PLACES;
  /** What following it comes to. Default: it succeeds, and what is published is whole. */
  comes?(followed: Outcome, scene: Scene): unknown;
}

const isWhole = async (followed: Outcome, scene: Scene) => {
  expect(followed).toMatchObject({ status: 0 });
  expect(await scene.run("verify", "TINY")).toMatchObject({ status: 0, stdout: expect.stringContaining("is whole") });
};
const lists = (followed: Outcome) => {
  expect(followed).toMatchObject({ status: 0, stdout: expect.stringMatching(/[0-9a-f]{16} .* active/) });
};
/** The account of the reader is not that of a test. */
const needsAccount = ({ stderr }: Outcome) =>
  expect(stderr).toMatch(/ needs CLOUDFLARE_ACCOUNT_ID|^soprano: wrangler\.toml has no id for the namespace/);

let putBack: () => Promise<void>;
const findsIt = async ({ status, stdout }: Outcome, scene: Scene) => {
  expect([status, stdout]).toEqual([
    1,
    expect.stringMatching(/is not right: 1 problem: .*\n +packs\/TINY\/\S+ is missing/),
  ]);
  await putBack();
  await scene.done("verify", "TINY");
};
/** A pack that only one of two builds has. */
async function packOf(scene: Scene, build: string, other: string): Promise<string> {
  const [own, others] = await scene.store((store) =>
    Promise.all([build, other].map(async (id) => textOf(await store.get(`builds/TINY/${id}.json`)))),
  );
  const hashes = [...own!.matchAll(/"hash":"(\w+)"/g)]
    .map(([, hash]) => hash!)
    .filter((hash) => !others!.includes(hash));
  const keys = await scene.store((store) => store.list("packs/TINY/"));
  return [...keys.keys()].find((key) => hashes.some((hash) => key.includes(hash.slice(0, 32))))!;
}
/** The active build, and one that can be rolled back to. */
const buildsIn = async (scene: Scene) => {
  const list = await scene.done("builds", "TINY");
  return [/^(\w{16}) .* active/m, /^(\w{16}) .* rolled back/m].map((pattern) => pattern.exec(list)?.[1] ?? "") as [
    string,
    string,
  ];
};
/** Takes a series of the active build away. */
async function without(scene: Scene, ...args: string[]): Promise<Outcome> {
  putBack = await scene.remove(await packOf(scene, ...(await buildsIn(scene))));
  return scene.run(...args);
}

/** When a rule of transfers would have fired. */
function largeTransfers(scene: Scene, asset: string): Promise<Outcome> {
  const file = join(scratchFolder(), "ALERTS.json");
  const rule = { name: "Any", assets: "*", transfers: { "at least": "1" }, post: "HOOK" };
  writeFileSync(file, JSON.stringify({ rules: [rule] }));
  return scene.run("alerts", file, asset, "--dry-run", "--since", "-1y");
}
const tellsTransfers = async (followed: Outcome, scene: Scene) => {
  expect(followed).toMatchObject({ status: 0 });
  const { status, stdout } = await largeTransfers(scene, asset);
  expect([status, stdout]).toEqual([0, expect.stringContaining("Any: ")]);
};

const work = join(folder, "my stages");
const stage = (scene: Scene, ...args: string[]) => scene.run("stage", ...args, "--work", work);
const undone = /has not been done/;
/** Does the tasks that are named as not done, until the build ends or is refused. */
async function finish(scene: Scene, file: string): Promise<Outcome> {
  const end = () => stage(scene, "finish", file);
  let outcome = await end();
  for (let tasks = 0; tasks < 40; tasks++) {
    if (!undone.test(outcome.stderr)) return outcome;
    const done = await follow(scene, outcome);
    outcome = done.status === 0 ? await end() : done;
  }
  return expect.unreachable("the build does not end");
}
/** What was built instead gives way to what was there. */
const isBuiltOnce = async (followed: Outcome, scene: Scene) => {
  await isWhole(followed, scene);
  await scene.done("build", asset);
};

/** A token of a chain whose node answers, and its folder. */
async function fetched(scene: Scene, head: number) {
  const { chain } = fakeEconomy({ blocks: 20 * DAY, transfers: 60, holders: 9, interval: 3600, confirmations: 0 });
  chain.head = head * DAY + 3;
  const node = await new FakeNode(chain).start();
  onTestFinished(() => node.stop());
  const there = new FetchFolder(chain.token.address, {}, { resolutions: ["day"] });
  scene.variables = { ...s3.environment, SOPRANO_RPC_URL: node.url };
  const flags = scene.isBucket ? scene.place : [];
  const fetch = async () => expect(await scene.runAsIs("fetch", there.asset, ...flags)).toMatchObject({ status: 0 });
  onTestFinished(() =>
    scene.store(async (store) =>
      store.delete([...(await store.list("")).keys()].filter((key) => /\bFAKE\b/.test(key))),
    ),
  );
  token = there;
  return { chain, fetch, asset: there.asset, inputs: there.inputs };
}
let token: FetchFolder;
const isBuilt = async (followed: Outcome, scene: Scene) => {
  expect(followed).toMatchObject({ status: 0 });
  await scene.done("build", token.asset);
};

/** Compares what is published with what was fetched. */
const comparing = (scene: Scene, path: string): Promise<Outcome> => scene.run("verify", "FAKE", "--fetched", path);
const isCompared = async (followed: Outcome, scene: Scene) => {
  expect(followed).toMatchObject({ status: 0 });
  await scene.done("build", token.asset);
  expect(await comparing(scene, token.asset)).toMatchObject({ status: 0 });
};

/** Fetches, changes what was fetched, and builds. */
async function changed(scene: Scene, change: (inputs: string) => void): Promise<Outcome> {
  const { fetch, inputs, asset } = await fetched(scene, 6);
  await fetch();
  change(inputs);
  return scene.run("build", asset);
}
const edit = (path: string, change: (text: string) => string) =>
  writeFileSync(path, change(readFileSync(path, "utf8")));
const editRecord = (change: (record: Fetched) => object) => (inputs: string) =>
  edit(join(inputs, "fetch.json"), (text) => JSON.stringify(change(JSON.parse(text))));

const failed = ({ check, ...rest }: Fetched) => ({
  ...rest,
  check: { ...check, status: "failed", problems: ["A balance differs."] },
});

/** By the file below builder/ and the call that makes the command; what is walked elsewhere names the test. */
const ADVICE: Record<string, Record<string, Case> | string> = {
  "published/builds/stored-builds.ts: advisedBuild()": {
    "nothing is published": { provoke: (scene) => scene.run("verify"), fill: { "ASSET.json": older } },
  },
  'published/builds/stored-builds.ts: advised("builds", symbol)': {
    "no such build": {
      async provoke(scene) {
        await scene.done("build", asset);
        return scene.run("rollback", "TINY", "0123456789abcdef");
      },
      comes: lists,
    },
  },
  'published/publish/removal.ts: advised("remove", symbol, "--undo")': {
    "an asset that was removed": {
      async provoke(scene) {
        await scene.done("remove", "TINY", "--yes");
        return scene.run("build", asset);
      },
      async comes(followed, scene) {
        expect(followed).toMatchObject({ status: 0, stdout: "TINY: the next build publishes it again.\n" });
        // The other cases go on with two builds.
        await scene.done("build", older);
        await scene.done("build", asset);
      },
    },
  },
  'published/publish/publication.ts: advised("gc", former, "--keep", "0")': "published/builds/remove.slow.test.ts",
  'commands/remove.ts: advised("gc", asset, "--keep", "0")': "commands/remove.slow.test.ts",
  'published/builds/rollback.ts: advised("builds", symbol)': {
    "a build that is not complete": {
      async provoke(scene) {
        const [active, before] = await buildsIn(scene);
        putBack = await scene.remove(await packOf(scene, before, active));
        return scene.run("rollback", "TINY", before);
      },
      async comes(followed) {
        lists(followed);
        await putBack();
      },
    },
  },
  'published/builds/rollback.ts: advisedBuild(undefined, "--full")': {
    "a build whose objects lack metadata": {
      only: "a bucket",
      fill: { "ASSET.json": asset },
      async provoke(scene) {
        const bucket = await s3.miniflare.getR2Bucket("BUCKET");
        const { objects } = await bucket.list({ prefix: "packs/TINY/" });
        for (const { key } of objects) await bucket.put(key, await (await bucket.get(key))!.arrayBuffer());
        const [, before] = await buildsIn(scene);
        return scene.run("rollback", "TINY", before);
      },
      async comes(followed, scene) {
        await isWhole(followed, scene);
        const [active, before] = await buildsIn(scene);
        await scene.done("rollback", "TINY", before);
        await scene.done("rollback", "TINY", active);
      },
    },
  },
  'published/builds/stored-builds.ts: advisedBuild(undefined, "--full")': {
    "an active manifest that is damaged": {
      only: "a state folder",
      fill: { "ASSET.json": asset },
      async provoke(scene) {
        const text = textOf(await scene.store((store) => store.get(currentKey("TINY"))));
        const blobs = globSync(join(folder, "state", "**", "blobs", "*"));
        const blob = blobs.find((path) => readFileSync(path, "latin1") === text)!;
        writeFileSync(blob, text.slice(9));
        return scene.run("verify", "TINY");
      },
    },
  },
  'published/verify/metadata-problems.ts: advisedBuild(undefined, "--full")': {
    "an active manifest without metadata": {
      fill: { "ASSET.json": asset },
      async provoke(scene) {
        await scene.store(async (store) => {
          const { bytes, metadata } = (await store.get(currentKey("TINY")))!;
          await put(store, currentKey("TINY"), bytes, { [SHA256_METADATA]: metadata[SHA256_METADATA]! });
        });
        return scene.run("verify", "TINY");
      },
    },
  },
  'published/export/export.ts: advised("verify", symbol)': {
    "an object that is missing": {
      provoke: (scene) => without(scene, "export", "TINY", "--out", join(folder, "exported")),
      comes: findsIt,
    },
  },
  "alerts/events/asset-inputs.ts: advisedFetch(path)": {
    "a rule of transfers without inputs": {
      only: "a state folder",
      async provoke(scene) {
        const { fetch, inputs, asset } = await fetched(scene, 6);
        await fetch();
        await scene.done("build", asset);
        rmSync(inputs, { recursive: true });
        return largeTransfers(scene, asset);
      },
      async comes(followed, scene) {
        expect(followed).toMatchObject({ status: 0 });
        expect(await largeTransfers(scene, token.asset)).toMatchObject({ status: 0 });
      },
    },
  },
  'alerts/events/read-events.ts: advisedBuild(path, "--full")': {
    "a rule of transfers without a checkpoint": {
      only: "a state folder",
      async provoke(scene) {
        await scene.done("build", asset);
        const active = textOf(await scene.store((store) => store.get(currentKey("TINY"))));
        const keys = [...(await scene.store((store) => store.list("checkpoints/TINY/"))).keys()];
        await scene.remove(keys.find((key) => active.includes(key.split(".")[0]!.split("/").at(-1)!))!);
        return largeTransfers(scene, asset);
      },
      comes: tellsTransfers,
    },
  },
  "alerts/events/read-events.ts: advisedBuild(asset.path)": {
    "a rule of transfers whose inputs have been added to": {
      only: "a state folder",
      async provoke(scene) {
        await scene.done("build", fewer, "--allow-shorter");
        return largeTransfers(scene, asset);
      },
      comes: tellsTransfers,
    },
  },
  'published/read/published-series.ts: advised("verify", item.symbol)': {
    "a series of a rule that is missing": {
      provoke(scene) {
        const file = join(scratchFolder(), "ALERTS.json");
        const rule = { name: "Up", assets: "*", when: "sopr > 0", post: "HOOK", format: "json" };
        writeFileSync(file, JSON.stringify({ rules: [rule] }));
        return without(scene, "alerts", file, "--dry-run");
      },
      comes: findsIt,
    },
  },
  'published/verify/before-swap.ts: advisedBuild(path, "--full")': {
    "a build that resumes from wrong values": {
      async provoke(scene) {
        const memory = new MemoryStore();
        await buildInto(memory, older);
        await changeValue(memory, "TINY", { resolution: "day", metric: "supply", selector: "users" });
        await scene.store(async (store) => {
          for (const [key, { bytes, metadata }] of memory.objects) await put(store, key, bytes, metadata);
        });
        return scene.run("build", asset);
      },
    },
  },
  'build/guards/shorter.ts: advisedBuild(path, "--allow-shorter")': {
    "a build that would end earlier": {
      only: "a state folder",
      provoke: (scene) => scene.run("build", older),
      comes: isBuiltOnce,
    },
    "a plan that would end earlier": {
      only: "a bucket",
      provoke: (scene) => stage(scene, "plan", older),
      async comes(followed, scene) {
        expect(followed).toMatchObject({ status: 0 });
        await isBuiltOnce(await finish(scene, older), scene);
      },
    },
  },
  'build/guards/shorter.ts: advisedBuild(asset.path, "--allow-shorter")': {
    "a build with fewer transfers": {
      only: "a state folder",
      provoke: (scene) => scene.run("build", fewer),
      comes: isBuiltOnce,
    },
    "stages with fewer transfers": {
      only: "a bucket",
      async provoke(scene) {
        expect(await stage(scene, "plan", fewer)).toMatchObject({ status: 0 });
        return finish(scene, fewer);
      },
      async comes(followed, scene) {
        expect(followed).toMatchObject({ status: 0 });
        await isBuiltOnce(await finish(scene, fewer), scene);
      },
    },
  },
  'build/guards/max-supply.ts: advisedBuild(asset.path, "--allow-supply")': {
    "a supply far over its maximum": {
      provoke: (scene) => scene.run("build", variant(asset, "supply.json", { maxSupply: "1" })),
      comes: isBuiltOnce,
    },
  },
  "input/digest-input.ts: advisedFetch(asset.path)": {
    "a cohort is shipped, and fetch has not placed its list": {
      async provoke(scene) {
        const { asset, fetch } = await fetched(scene, 6);
        await fetch();
        edit(asset, (text) => JSON.stringify({ ...JSON.parse(text), cohorts: { dex: "shipped" } }));
        return scene.run("build", asset);
      },
      comes: isBuilt,
    },
  },
  'input/fetched/fetched-asset.ts: advised("prices", path, "--at", "TIME", "--set", "PRICE", "--because", "WHY")':
    "commands/prices.slow.test.ts",
  "input/fetched/fetched-asset.ts: advisedFetch(path)": {
    "nothing was fetched": {
      provoke: async (scene) => scene.run("build", (await fetched(scene, 6)).asset),
      comes: isBuilt,
    },
    "the check failed": {
      provoke: (scene) => changed(scene, editRecord(failed)),
      comes: isBuilt,
    },
    "a later time is wanted": {
      async provoke(scene) {
        const { asset, chain, fetch } = await fetched(scene, 6);
        await fetch();
        chain.head += 2 * DAY;
        const later = new Date(Date.parse(token.record.asOf) + 86_400_000).toISOString().slice(0, 10);
        return scene.run("build", asset, "--as-of", later);
      },
      comes: isBuilt,
    },
    "the files are of another chain": {
      async provoke(scene) {
        const outcome = await changed(
          scene,
          editRecord((record) => ({ ...record, chainId: 6 })),
        );
        rmSync(token.inputs, { recursive: true });
        await scene.store(async (store) => store.delete([...(await store.list("inputs/FAKE/")).keys()]));
        return outcome;
      },
      comes: isBuilt,
    },
  },
  'fetch/check/ledgers/proven-balances.ts: advisedFetch(path, "--check", "all")': {
    "nothing was fetched": {
      provoke: async (scene) => comparing(scene, (await fetched(scene, 6)).asset),
      comes: isCompared,
    },
    "the balances were not kept": {
      async provoke(scene) {
        const { fetch, inputs, asset } = await fetched(scene, 6);
        await fetch();
        rmSync(join(inputs, ".part"), { recursive: true });
        return comparing(scene, asset);
      },
      comes: isCompared,
    },
  },
  'input/fetched/fetched-asset.ts: advisedFetch(path, "--repair")': {
    "a file is missing": {
      provoke: (scene) =>
        changed(scene, (inputs) => rmSync(join(inputs, "transfers", readdirSync(join(inputs, "transfers"))[0]!))),
      comes: isBuilt,
    },
  },
  'input/fetched/fetched-asset.ts: advisedFetch(path, "--recheck", role)': {
    "a table has changed": {
      provoke: (scene) => changed(scene, (inputs) => edit(join(inputs, "contracts.csv"), (text) => `${text}0x1\n`)),
      comes: isBuilt,
    },
  },
  'input/fetched/bucket-inputs.ts: advised("fetch", path, "--store", store.name)': {
    "the inputs here are older": {
      only: "a bucket",
      async provoke(scene) {
        const { asset, chain, fetch, inputs } = await fetched(scene, 6);
        await fetch();
        const before = join(scratchFolder(), "before");
        cpSync(inputs, before, { recursive: true });
        chain.head += 2 * DAY;
        await fetch();
        await scene.done("build", asset);
        rmSync(inputs, { recursive: true });
        cpSync(before, inputs, { recursive: true });
        return scene.run("build", asset);
      },
      comes: isBuilt,
    },
  },
  'build/left/stage-plan.ts: advised("stage", "plan", folder.assetPath)': {
    "no plan": { provoke: (scene) => stage(scene, "finish", asset) },
  },
  'build/left/results.ts: advised("stage", stage, path, "--task", String(number))': {
    "tasks that have not been done": {
      async provoke(scene) {
        expect(await stage(scene, "plan", asset, "--full")).toMatchObject({ status: 0 });
        return stage(scene, "finish", asset);
      },
      async comes(followed, scene) {
        expect(followed).toMatchObject({ status: 0 });
        await isWhole(await finish(scene, asset), scene);
      },
    },
  },
  'build/fleet/deals-file.ts: advised("deal", "ASSET.json", "--into", "N", "--out", file)': {
    "a file of something else": {
      fill: { "ASSET.json": asset, N: "1" },
      async provoke(scene) {
        writeFileSync(join(folder, "deals.json"), "{}");
        return scene.run("build", "--deal", join(folder, "deals.json"), "--task", "0");
      },
      async comes(followed, scene) {
        await isWhole(followed, scene);
        await scene.done("build", "--deal", join(folder, "deals.json"), "--task", "0");
      },
    },
  },
  'store/stored-keys.ts: advised("keys", "list")': {
    "no such key": { only: "a state folder", provoke: (scene) => scene.run("keys", "revoke", "nobody") },
  },
  'store/key-usage.ts: advised("keys", "list", "--remote")': {
    "no id of a key": {
      only: "a state folder",
      provoke(scene) {
        scene.variables = { ...scene.variables, CLOUDFLARE_ACCOUNT_ID: "a", CLOUDFLARE_API_TOKEN: "t" };
        return scene.runAsIs("keys", "usage", "--key", "no id");
      },
      comes: needsAccount,
    },
  },
  'commands/probe.ts: advised("keys", "create", "--name", "NAME", "--remote")': {
    "no key": {
      only: "a state folder",
      provoke: (scene) => scene.runAsIs("probe", "https://metrics.example.com", "--key", "none"),
      comes: needsAccount,
    },
  },
  'commands/new.ts: command("init", "0xCONTRACT", "--rpc", "URL")': "new/new-repository.test.ts",
  'commands/serve.ts: command("keys", "create", "--name", "NAME")': "commands/keys.slow.test.ts",
  'commands/init.ts: command("fetch", path)': "fetch/init/init.node.test.ts",
  'commands/init.ts: command("build", path)': "fetch/init/init.node.test.ts",
  'commands/init.ts: command("serve")': "package/package.slow.test.ts",
  'build/run/alone.ts: advised("stage", "plan", asset.path, "--full")': "build/run/alone.slow.test.ts",
  'build/run/alone.ts: advised("stage", "plan", path, "--as-of", isoTime(input.asOf))':
    "build/deposits/builds.slow.test.ts",
  'build/deposits/in-use.ts: advisedBuild(asset.path, "--full")': "alerts/events/event-firings.slow.test.ts",
};

interface FlagCase {
  /** A command that is refused. */
  args: (folder: string) => string[];
  says: RegExp;
  /** The option as the reader adds it, or gives it another value. */
  to?: string;
}

/** A file: nothing can be below it. */
const below = (name: string) => join(asset, name);
const deals = join(folder, "deals.json");

/**
 * Options that messages name, by file: with them, the reader's own command works, wherever the store is. Those of
 * `soprano fetch` have their own test; what is not walked here says why, or where it is.
 */
const FLAGS: Record<string, FlagCase | string> = {
  "cli.ts --version": "no message: what the command line is asked for",
  "commands/verify.ts --fetched": "no advice: the option that the reader has given",
  "build/run/build-lock.ts --wait": "commands/at-once.slow.test.ts",
  "build/run/decide.ts --full": "a reason, no advice",
  "build/fleet/deals-file.ts --out": {
    args: () => ["deal", asset, "--into", "1", "--out", below("deals.json")],
    says: /name another file with --out/,
    to: deals,
  },
  "build/fleet/task-index.ts --task": { args: () => ["build", "--deal", deals], says: /with --task/, to: "0" },
  "build/guards/shorter.ts --as-of": {
    args: () => ["build", older],
    says: /say so with --as-of/,
    to: "2024-01-02T00:00:00Z",
  },
  "build/folder/work-folder.ts --work": {
    args: () => ["build", asset, "--full", "--work", below("work")],
    says: /choose another with --work/,
    to: folder,
  },
  "commands/alerts.ts --dry-run": {
    args(folder) {
      const file = join(folder, "ALERTS.json");
      const rule = { name: "Up", assets: "*", when: "sopr > 0", post: "HOOK", format: "json" };
      writeFileSync(file, JSON.stringify({ rules: [rule] }));
      return ["alerts", file, "--since", "-1y"];
    },
    says: /--since goes with --dry-run/,
  },
  "input/labels/kinds/make/make-kinds.ts --aave": "a script of its own, with a test beside it",
  "input/labels/kinds/make/make-kinds.ts --beefy": "a script of its own, with a test beside it",
  "input/labels/kinds/make/make-kinds.ts --etherscan": "a script of its own, with a test beside it",
  "input/labels/kinds/make/make-kinds.ts --out": "a script of its own, with a test beside it",
  "input/labels/kinds/make/sources.ts --help": "a script of its own, with a test beside it",
  "commands/alerts.ts --since": "the option that --dry-run goes with",
  "commands/build.ts --deal": "commands/deal.slow.test.ts",
  "commands/build.ts --task": "commands/deal.slow.test.ts",
  "commands/build.ts --dry-run": "build/run/build-batch.slow.test.ts",
  "commands/build.ts --since-check": "build/run/build-batch.slow.test.ts",
  "commands/builds.ts --min-age": "commands/builds.slow.test.ts",
  "commands/fetch.ts --as-of": "a result, no advice",
  "commands/fetch.ts --check": "fetch/renamed-options.test.ts",
  "commands/fetch.ts --check-limit": "fetch/renamed-options.test.ts",
  "commands/fetch.ts --hours": "fetch/advice.node.test.ts",
  "commands/fetch.ts --until": "fetch/advice.node.test.ts",
  "commands/init.ts --from": "commands/inspect.test.ts",
  "commands/fetch.ts --rpc": "fetch/connect.test.ts",
  ...Object.fromEntries(
    ["--at", "--because", "--drop", "--list", "--set"].map((flag) => [
      `commands/prices.ts ${flag}`,
      "commands/prices.slow.test.ts",
    ]),
  ),
  "commands/remove.ts --undo": "commands/remove.slow.test.ts",
  "commands/status.ts --cost": "commands/remove.slow.test.ts",
  "commands/status.ts --requests": "commands/remove.slow.test.ts",
  "demo/demo.ts --persist": "what is shown, no advice",
  "published/status/format-cost.ts --requests": "published/status/cost.test.ts",
  "published/status/night-reports.ts --report": "commands/remove.slow.test.ts",
  "command-line.ts --version": "what is given, no advice",
  "demo/demo.ts --port": "cli.slow.test.ts",
  "engine/assembly/largest.ts --bin": "a number that is counted down",
  "engine/assembly/lots/lots.ts --closes": "a number that is counted down",
  "build/guards/refusals.ts --threads": "takes more than 4 GB of memory",
  "input/fetched/fetched-asset.ts --store": "walked above, with a bucket",
  "input/transfers/shares/sort.ts --memory": "input/transfers/sort.test.ts",
  "input/transfers/shares/sort.ts --work": "input/transfers/sort.test.ts",
  "lib/advised.ts --store": "walked above, with a bucket",
  "lib/failure.ts --debug": "every command takes it",
  "lib/garbage.ts --expose-gc": "of V8",
  "lib/terminal/report-file.ts --report": {
    args: () => ["build", asset, "--report", below("report.json")],
    says: /name another file with --report/,
    to: join(folder, "report.json"),
  },
  "package/lock.ts --package-lock-only": "of npm",
  "package/package.ts --ignore-scripts": "of npm",
  "package/package.ts --json": "of npm",
  "package/package.ts --pack-destination": "of npm",
  "probe/probe.ts --key": "commands/probe.slow.test.ts",
  "published/export/export.ts --out": {
    args: () => ["export", "TINY", "--out", below("exported")],
    says: /choose another folder with --out/,
    to: join(folder, "exported elsewhere"),
  },
  "published/publish/publication.ts --persist": {
    args: () => ["build", variant(asset, "stranger.json", { contract: `0x${"5".repeat(40)}` })],
    says: /with another --persist or --store/,
    to: join(folder, "state of a stranger"),
  },
  "published/publish/publication.ts --store": "the same with a bucket",
  "serve/serve.ts --port": "commands/keys.slow.test.ts",
  "serve/start-failure.ts --version": "of workerd",
  "serve/workerd.ts --initial-heap-size": "of V8",
  "serve/workerd.ts --max-semi-space-size": "of V8",
  "store/backup/backup.ts --from": "store/backup/backup.test.ts",
  "store/backup/backup.ts --to": "store/backup/backup.test.ts",
  "store/local/local.ts --persist": {
    args: () => ["builds", "TINY", "--persist", below("state")],
    says: /choose another one with --persist/,
    to: PLACES["a state folder"][1]!,
  },
  "store/remote.ts --remote": "names what needs variables, no advice",
};

const textOf = (object: { bytes: Uint8Array } | undefined) => Buffer.from(object!.bytes).toString("latin1");

/** The words of a command line, as a shell reads them. */
const wordsOf = (line: string) =>
  Array.from(line.matchAll(/'((?:[^']|'\\'')*)'|\S+/g), ([word, quoted]) => quoted ?? word);

/** Runs the first command that a message names, exactly as it is there. */
function follow(scene: Scene, { stderr, stdout }: Outcome, fill: Record<string, string> = {}): Promise<Outcome> {
  const line = [...`${stdout}${stderr}`.matchAll(/`soprano ([^`]+)`/g)][0]?.[1];
  expect(line, `${stdout}${stderr}`).toBeDefined();
  return scene.runAsIs(...wordsOf(line!).map((word) => fill[word] ?? word));
}

const sources = new Map(
  globSync("builder/**/*.ts").map((path) => [path.slice("builder/".length), readFileSync(path, "utf8")] as const),
);

it("every command that a message names is in the table", () => {
  const found = new Set<string>();
  for (const [file, text] of sources) {
    if (file === "lib/advised.ts") continue;
    for (const [call] of text.matchAll(/(?<![.\w])(?:advised(?:Build|Fetch)?|command)\((?:[^()]|\([^()]*\))*\)/g)) {
      found.add(`${file}: ${call.replaceAll(/\s+/g, " ")}`);
    }
  }
  expect([...found].sort()).toEqual(Object.keys(ADVICE).sort());
  for (const elsewhere of Object.values(ADVICE).filter((one) => typeof one === "string")) {
    expect(existsSync(join("test", elsewhere)), elsewhere).toBe(true);
  }
});

it("every option that a message names is in the table", () => {
  const found = new Set<string>();
  for (const [file, text] of sources) {
    for (const line of file.startsWith("fetch/") ? [] : text.split("\n")) {
      if (/^\s*(\*|\/\*|\/\/)|[oO]ption\(|description\(/.test(line)) continue;
      const said = line.replaceAll(/\b(advised(Build|Fetch)?|command)\([^()]*(\([^()]*\))*[^()]*\)/g, "");
      if (file.startsWith("commands/") && !/Failure\(|error\(|`|log\(/.test(said)) continue;
      for (const [flag] of said.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)) found.add(`${file} ${flag}`);
    }
  }
  expect([...found].sort()).toEqual(Object.keys(FLAGS).sort());
});

it("no message names a command without the reader's store", () => {
  const isSaid = (line: string) => !/^\s*(\*|\/\*|\/\/)|\.(description|option|requiredOption)\(/.test(line);
  const names = Array.from(sources).flatMap(([file, text]) =>
    text
      .split("\n")
      .filter((line) => isSaid(line) && /\\?`(?:npx )?soprano [a-z]|npx soprano [a-z]/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(names).toEqual([]);
});

describe.each(Object.entries(PLACES))("with %s", (where, place) => {
  const cases = Object.entries(ADVICE).flatMap(([site, advice]) =>
    typeof advice === "string" ? [] : Object.entries(advice).map(([what, one]) => ({ site, what, ...one })),
  );

  it.each(cases.filter(({ only = where }) => only === where))(
    "$what: $site",
    async ({ provoke, fill, comes = isWhole }) => {
      rmSync(work, { recursive: true, force: true });
      const scene = new Scene(place);
      const refused = await provoke(scene);
      expect(refused.status, refused.stderr).not.toBe(0);
      await comes(await follow(scene, refused, fill), scene);
    },
  );
});

describe("the reader's own command", () => {
  const flags = Object.entries(FLAGS).flatMap(([site, advice]) => {
    return typeof advice === "string" ? [] : [{ site, flag: site.split(" ")[1]!, ...advice }];
  });
  beforeAll(() => new Scene(PLACES["a state folder"]).done("build", asset));

  it.each(flags)("works with $flag: $site", async ({ flag, args, says, to }) => {
    const scene = new Scene(PLACES["a state folder"]);
    const given = args(scratchFolder());
    const run = (words: string[]) => (words.includes("--persist") ? scene.runAsIs(...words) : scene.run(...words));
    const refused = await run(given);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(says)]);
    const at = given.indexOf(flag);
    const [before, after] = at < 0 ? [given, []] : [given.slice(0, at), given.slice(at + 2)];
    const followed = await run([...before, flag, ...(to === undefined ? [] : [to]), ...after]);
    expect(followed).toMatchObject({ status: 0 });
  });
});
