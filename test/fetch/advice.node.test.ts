/** Every refusal of `soprano fetch` says what to do, and whoever does that has the inputs: each advice is followed here. */

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { Fetched } from "../../builder/input/fetched/fetched.ts";
import type { Outcome } from "../commands/soprano.ts";
import { newFolder } from "../folders.ts";
import { ZERO_ADDRESS } from "./chain/fake-chain.ts";
import { type FakeNodeOptions, startFakeNode } from "./chain/fake-node.ts";
import { type History, Market, POOL } from "./chain/market.ts";
import { FetchFolder } from "./fetching.ts";

const DAY = 24;
const market = new Market({ blocks: 10 * DAY, transfers: 150 });
const { rows, trades } = market.history;
const [pool] = market.source.prices.pools;
/** The day after the files: what a night fetches. */
const TODAY = 6 * DAY;
const NIGHT = TODAY + DAY + 3;

const without = (from: number, to: number): History => {
  const isThere = ({ block }: { block: number }) => block < from || block >= to;
  return { rows: rows.filter(isThere), trades: trades.filter(isThere) };
};

/** A night of an asset, and what may be wrong with it. */
class Scene {
  readonly folder: FetchFolder;
  chain = market.chain(NIGHT);
  urls: string[] = [];
  args: string[] = [];
  /** A node that is right. */
  good = "";
  /** Puts back what was changed. */
  undo: () => void = () => expect.unreachable("nothing can be restored");

  constructor(folder: FetchFolder) {
    this.folder = folder;
  }

  /** The files of the nights before, or of other ones. */
  static async open(after: Nights): Promise<Scene> {
    const scene = new Scene(folderOf());
    await putInputs(after, scene.folder);
    scene.good = (await startFakeNode(scene.chain)).url;
    scene.urls = [scene.good];
    return scene;
  }

  async node(options: FakeNodeOptions, chain = this.chain): Promise<void> {
    this.urls = [(await startFakeNode(chain, options)).url];
  }

  /** Changes a file of the inputs; undefined removes it. */
  edit(name: string, change: (text: string) => string | undefined): void {
    this.change(join(this.folder.inputs, name), change);
  }

  editAsset(change: (asset: { decimals: number; source: Record<string, unknown> }) => void): void {
    this.change(this.folder.asset, (text) => {
      const asset = JSON.parse(text);
      change(asset);
      return JSON.stringify(asset);
    });
  }

  change(path: string, change: (text: string) => string | undefined): void {
    const [before, { undo }] = [readFileSync(path), this];
    const after = change(before.toString("latin1"));
    if (after === undefined) rmSync(path);
    else writeFileSync(path, after, "latin1");
    const isFirst = undo.name === "undo";
    this.undo = () => {
      writeFileSync(path, before);
      if (!isFirst) undo();
    };
  }

  fetch(): Promise<Outcome> {
    return this.folder.fetch(this.urls, "--quiet", ...this.args);
  }
}

type Match = RegExpMatchArray;

/** What messages advise, and how it is followed. */
const ADVICE: [RegExp, (scene: Scene, match: Match) => void][] = [
  [/\brestore (it|them|the file)\b/i, (scene) => scene.undo()],
  [/\bis not a whole number\b|\bcorrect (it|that)\b|\bcorrect "\w+"/i, (scene) => scene.undo()],
  [/(?<!more; )\bwith --repair\b/, (scene) => scene.args.push("--repair")],
  [/--recheck (\w+)/, ({ args }, [, role]) => args.push("--recheck", role!)],
  [/(with|Answer with) --yes/, ({ args }) => args.push("--yes")],
  [/\bwith --check none/, ({ args }) => args.push("--check", "none")],
  [/remove that folder|remove the folder/, ({ folder }) => rmSync(folder.inputs, { recursive: true })],
  [/remove (\S+) if it has ended/, (_, [, path]) => rmSync(path!)],
  [/add[^.;]*--rpc|add another node|give another node|use an archive node/i, ({ urls, good }) => urls.push(good)],
  [/(give a|try another) node/i, ({ urls, good }) => urls.splice(0, 1, good)],
  [/leave it out\.$/i, ({ urls, good }) => urls.splice(0, 2, good)],
  [/leave --until out/i, (scene) => dropUntil(scene)],
  [/run this again [^.]*later/i, ({ chain }) => (chain.head += 2 * DAY)],
  [
    /The last \w+ that can be fetched is (\S+)\.$/,
    ({ args }, [, day]) => args.splice(args.indexOf("--until") + 1, 1, day!),
  ],
  [/add --hours/, ({ args }) => args.push("--hours")],
];

const dropUntil = ({ args }: Scene) => args.splice(args.indexOf("--until"), 2);

/** The advice of an outcome's last sentence. */
function adviceIn({ status, stderr }: Outcome): { follow: (scene: Scene) => void; text: string }[] {
  expect(status, stderr).toBe(1);
  const sentence = stderr.slice(stderr.lastIndexOf("soprano: ")).trim();
  const found = ADVICE.flatMap(([pattern, follow]) => {
    const match = sentence.match(pattern);
    return match ? [{ text: match[0], follow: (scene: Scene) => follow(scene, match) }] : [];
  });
  expect(found.length, sentence).toBeGreaterThan(0);
  return found;
}

/** Refusals that an advice may lead to, until nothing is wrong any more. */
const MOST_STEPS = 3;

function folderOf() {
  return new FetchFolder(market.token.address, { ...market.source, labels: "default" });
}

/** What nights have left: of a node that was right, of a replica that had stopped, and of hours. */
const NIGHTS = {
  right: () => market.chain(TODAY + 3),
  stale: () => market.chain(TODAY + 3, without(TODAY - 12, 99 * DAY)),
  stalePools: () => market.chain(TODAY + 3, { rows, trades: without(TODAY - 12, 99 * DAY).trades }),
  hours: () => market.chain(TODAY + 9),
};
type Nights = keyof typeof NIGHTS | "none";
const left = new Map<Nights, string>();
afterAll(() => {
  for (const path of left.values()) rmSync(path, { recursive: true });
});

/** Puts into a folder what nights have left; they are fetched once. */
async function putInputs(of: Nights, { inputs }: FetchFolder): Promise<void> {
  if (of === "none") return;
  if (!left.has(of)) {
    const [folder, { url }] = [folderOf(), await startFakeNode(NIGHTS[of]())];
    expect(await folder.fetch([url], ...(of === "hours" ? ["--hours"] : []))).toMatchObject({ status: 0 });
    left.set(of, newFolder());
    cpSync(folder.inputs, left.get(of)!, { recursive: true, preserveTimestamps: true });
  }
  cpSync(left.get(of)!, inputs, { recursive: true, preserveTimestamps: true });
}

const editText = (text: string) => text.replace(/\n(0x\w+|[\d:TZ-]+),[^\n]*\n/, "\n$1,9\n");
const gone = () => undefined;
const editRecord = (scene: Scene, change: (record: Fetched) => unknown) =>
  scene.edit("fetch.json", (text) => {
    const record = JSON.parse(text);
    change(record);
    return JSON.stringify(record);
  });
/** Leaves the record of an earlier version, which knew no digests of tables. */
const withoutDigests = (scene: Scene) => editRecord(scene, (record) => delete record.tables);

/** The chain after a reorganisation: the same logs in other blocks. */
function forked(from: number) {
  const chain = market.chain(NIGHT);
  chain.forkFrom(from);
  return chain;
}

interface Refusal {
  when: string;
  says: RegExp;
  /** What there is before. Default: what is right. */
  after?: Nights;
  provoke(scene: Scene): unknown;
  /** Advice for another case with the same message. */
  notHere?: RegExp;
}

const firstFile = "transfers/2020-01-02.parquet";
/** Indexes of a contract's logs in the chain's list. */
function indexesOf(from: number, to: number, address: string): Set<number> {
  const chain = market.chain(99 * DAY);
  const { start, end } = chain.logsOf(from, to);
  const all = Array.from({ length: end - start }, (_, i) => start + i);
  return new Set(all.filter((index) => chain.log(index).address === address));
}
const omitted = (from: number, to: number) => ({ omits: indexesOf(from, to, market.token.address) });

const REFUSALS: Refusal[] = [
  { when: "a file is missing", says: /is missing/, provoke: (scene) => scene.edit(firstFile, gone) },
  {
    when: "a file is cut off",
    says: /has changed/,
    provoke: (scene) => scene.edit(firstFile, (text) => text.slice(9)),
  },
  ...(["prices.csv", "contracts.csv", "exchanges.csv"] as const).flatMap((table): Refusal[] => [
    { when: `${table} is edited`, says: /has changed/, provoke: (scene) => scene.edit(table, editText) },
    { when: `${table} is no table`, says: /has changed/, provoke: (scene) => scene.edit(table, () => "?") },
  ]),
  {
    when: "two tables are edited",
    says: /prices\.csv and \S+contracts\.csv have changed/,
    provoke(scene) {
      for (const table of ["prices.csv", "contracts.csv"]) scene.edit(table, editText);
    },
  },
  {
    when: "a table is edited, and another is looked at again",
    says: /have changed/,
    provoke(scene) {
      for (const table of ["prices.csv", "contracts.csv"]) scene.edit(table, editText);
      scene.args = ["--recheck", "prices"];
    },
  },
  {
    when: "everything is damaged",
    says: /is missing/,
    provoke(scene) {
      for (const table of [firstFile, "prices.csv", "contracts.csv", "exchanges.csv"]) scene.edit(table, gone);
    },
  },
  ...(["prices.csv", "contracts.csv"] as const).map(
    (table): Refusal => ({
      when: `${table} of an earlier version is no table`,
      says: /(soprano fetch alone writes this file|was not written by soprano fetch)/,
      provoke(scene) {
        scene.edit(table, () => "?");
        withoutDigests(scene);
      },
    }),
  ),
  {
    when: "labels of an earlier version are missing",
    says: /exchanges\.csv is missing/,
    provoke(scene) {
      scene.edit("exchanges.csv", gone);
      withoutDigests(scene);
    },
  },
  { when: "fetch.json is no JSON", says: /is not JSON/, provoke: (scene) => scene.edit("fetch.json", () => "?") },
  {
    when: "fetch.json is damaged",
    says: /is damaged at/,
    provoke: (scene) => editRecord(scene, (record) => (record.asOf = "today")),
  },
  {
    when: "the files are of another contract",
    says: /"contract" is/,
    provoke: (scene) => editRecord(scene, (record) => (record.contract = `0x${"9".repeat(40)}`)),
  },
  {
    when: "the first block is another one",
    says: /"firstBlock" is 29/,
    provoke: (scene) => scene.editAsset(({ source }) => (source.firstBlock = 29)),
  },
  {
    when: "there are opening balances now",
    says: /"openingBalances" is/,
    provoke(scene) {
      writeFileSync(join(scene.folder.path, "opening.csv"), `address,value\n0x${"ab".repeat(20)},5\n`);
      scene.editAsset(({ source }) => (source.openingBalances = "opening.csv"));
    },
  },
  {
    when: "an opening balance is no number",
    says: /is not a whole number/,
    after: "none",
    provoke(scene) {
      writeFileSync(join(scene.folder.path, "opening.csv"), `address,value\n0x${"ab".repeat(20)},?\n`);
      scene.editAsset(({ source }) => (source.openingBalances = "opening.csv"));
    },
  },
  {
    when: "the contract has other decimals",
    says: /"decimals" is 6/,
    after: "none",
    provoke: (scene) => scene.editAsset((asset) => (asset.decimals = 6)),
  },
  {
    when: "the contract is older than the first block",
    says: /correct "firstBlock"/,
    after: "none",
    provoke: (scene) => scene.editAsset(({ source }) => (source.firstBlock = 60)),
  },
  {
    when: "a pool is none",
    says: /is not a pool of/,
    provoke: (scene) =>
      scene.editAsset(({ source }) => (source.prices = { pools: [{ ...pool, address: ZERO_ADDRESS }] })),
  },
  {
    when: "a node is of another chain",
    says: /is a node of chain 5/,
    notHere: /correct/,
    provoke: (scene) => scene.node({ chainId: 5 }),
  },
  {
    when: "a node follows another fork",
    says: /follows another fork/,
    async provoke(scene) {
      await scene.node({}, forked(NIGHT - 10));
      scene.urls.push(scene.good);
    },
  },
  {
    when: "the chain has replaced blocks of a day",
    says: /a reorganisation/,
    provoke: (scene) => scene.node({}, forked(TODAY - 30)),
  },
  {
    when: "the chain has replaced blocks of an hour",
    says: /a reorganisation/,
    after: "hours",
    async provoke(scene) {
      scene.args = ["--hours"];
      await scene.node({}, forked(TODAY + 3));
    },
  },
  {
    when: "a repair would end earlier",
    says: /a repair goes up to/,
    async provoke(scene) {
      await scene.node({}, forked(TODAY - 30));
      scene.args = ["--repair", "--until", "2020-01-05"];
    },
  },
  {
    when: "a repair would end earlier, since less is final",
    says: /a repair goes up to .*, but the last final block/,
    async provoke(scene) {
      scene.chain.forkFrom(TODAY - 30);
      await scene.node({ behind: DAY + 3 });
      scene.args = ["--repair"];
    },
  },
  {
    when: "a node leaves out today's logs",
    says: /add an --rpc URL/i,
    provoke: (scene) => scene.node(omitted(TODAY, NIGHT)),
  },
  {
    when: "a node leaves out a log, and has forgotten states",
    says: /add an --rpc URL/i,
    notHere: /correct/,
    provoke: (scene) => scene.node({ ...omitted(TODAY, TODAY + DAY), states: 20 }),
  },
  {
    when: "a node has forgotten logs",
    says: /archive/,
    after: "none",
    provoke: (scene) => scene.node({ prunedBefore: 99 }),
  },
  { when: "a file of a stale replica is wrong", says: /is wrong/, after: "stale", provoke: () => {} },
  { when: "prices of a stale replica are wrong", says: /hours differ/, after: "stalePools", provoke: () => {} },
  {
    when: "a node leaves out logs of pools",
    says: /Prices can't be proven/,
    provoke: (scene) => scene.node({ omits: indexesOf(TODAY, NIGHT, POOL) }),
  },
  {
    when: "prices are to be replaced",
    says: /Replace \d+ hours? of prices\.csv/,
    provoke(scene) {
      scene.edit("prices.csv", editText);
      scene.args = ["--recheck", "prices"];
    },
  },
  {
    when: "the first block is not final",
    says: /Run this again a day later/,
    after: "none",
    provoke: (scene) => (scene.chain.head = 40),
  },
  {
    when: "--until is not final",
    says: /is not complete and final yet/,
    provoke: (scene) => (scene.args = ["--until", "2020-02-01"]),
  },
  {
    when: "--until is before the first block",
    says: /after --until/,
    after: "none",
    provoke: (scene) => (scene.args = ["--until", "2020-01-01"]),
  },
  {
    when: "--until names an hour",
    says: /names an hour/,
    provoke: (scene) => (scene.args = ["--until", "2020-01-07T05"]),
  },
  {
    when: "another process fetches",
    says: /Another soprano fetch/,
    provoke(scene) {
      mkdirSync(join(scene.folder.inputs, ".part"), { recursive: true });
      writeFileSync(join(scene.folder.inputs, ".part", "lock"), "1 another-machine 0.5\n");
    },
  },
];

it.each(REFUSALS)("$when: following the advice works", async ({ after = "right", says, provoke, notHere }) => {
  const refused = async () => {
    const scene = await Scene.open(after);
    await provoke(scene);
    const outcome = await scene.fetch();
    expect(outcome.stderr).toMatch(says);
    return { scene, advice: adviceIn(outcome).filter(({ text }) => !notHere?.test(text)) };
  };
  const first = await refused();
  for (const index of first.advice.keys()) {
    const { scene, advice } = index === 0 ? first : await refused();
    const followed = [advice[index]!];
    followed[0]!.follow(scene);
    let outcome = await scene.fetch();
    for (let step = 1; outcome.status !== 0 && step < MOST_STEPS; step++) {
      const [next] = adviceIn(outcome);
      followed.push(next!);
      next!.follow(scene);
      outcome = await scene.fetch();
    }
    const done = followed.map(({ text }) => text).join(", then ");
    expect(outcome, `after: ${done}`).toMatchObject({ status: 0 });
    // Nothing is left to be mended.
    scene.args = [];
    expect(await scene.fetch(), `a night after: ${done}`).toMatchObject({ status: 0 });
  }
});

it("what a node was wrong about once is asked again before ASSET.json is blamed", async () => {
  const scene = await Scene.open("right");
  scene.edit(".part/facts.json", (text) => text.replace('"decimals":18', '"decimals":6'));
  expect(await scene.fetch()).toMatchObject({ status: 0 });
});

it("a repair that fails leaves the record as it was, but for the check", async () => {
  const scene = await Scene.open("hours");
  const { check: _, ...before } = scene.folder.record;
  await scene.node(omitted(TODAY, NIGHT));
  scene.args = ["--repair"];
  expect((await scene.fetch()).status).toBe(1);
  const { check, ...after } = scene.folder.record;
  expect(after).toEqual(before);
  expect(check).toMatchObject({ status: "failed" });
  scene.urls = [scene.good];
  expect(await scene.fetch()).toMatchObject({ status: 0 });
});
