/**
 * `npm run bench:small`: what a night of small tokens takes to build, and what it asks of the bucket: by day and hour through
 * S3, and with all resolutions into the local store. Each token has 3,000 transfers in 200 days, the last of which the night
 * brings; one command builds all.
 *
 *   npm run bench:small -- --tokens 40 --against 8624ab6b --rounds 2
 */

import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Resolution } from "../data-schema/registry.ts";
import { BUCKET, startFilesS3 } from "../test/store/s3.ts";
import { withCheckout } from "./lib/checkout.ts";
import { BENCH_FOLDER, settingText, simulatedToken, withoutLastDay, withResolutions } from "./lib/data.ts";
import { bytes, duration, formatTable } from "./lib/markdown.ts";
import { type Cost, costOf } from "./lib/process-tree.ts";
import { saveResults, say } from "./lib/results.ts";
import { medianFigures } from "./lib/rounds.ts";

const SIZE = { transfers: 3_000, addresses: 300, days: 200 };
const [S3, LOCAL] = ["day and hour, through S3", "all resolutions, local store"];
const STEPS = ["first build", "night", "nothing new"] as const;

const { values: options } = parseArgs({
  options: {
    tokens: { type: "string", default: "40" },
    against: { type: "string" },
    rounds: { type: "string", default: "1" },
  },
});
const tokens = Number(options.tokens);

/** What one command takes; asked of the bucket, where there is one. */
type Figures = Cost & Partial<Record<"writes" | "lists" | "reads", number>>;

const built = (paths: readonly string[], store: readonly string[], from: string, variables = {}) =>
  costOf(process.execPath, ["builder/cli.ts", "build", ...paths, ...store, "--quiet"], from, variables);

type Nights = readonly (readonly string[])[];

async function intoLocalStore(nights: Nights, from: string): Promise<Figures[]> {
  const persist = mkdtempSync(join(BENCH_FOLDER, "state-"));
  try {
    const figures: Figures[] = [];
    for (const paths of nights) figures.push(await built(paths, ["--persist", persist], from));
    return figures;
  } finally {
    rmSync(persist, { recursive: true, force: true });
  }
}

async function throughS3(nights: Nights, from: string): Promise<Figures[]> {
  const s3 = await startFilesS3();
  try {
    const figures: Figures[] = [];
    for (const paths of nights) {
      const before = s3.requests.length;
      const cost = await built(paths, ["--store", `r2://${BUCKET}`], from, s3.environment);
      const asked = s3.requests.slice(before);
      const gets = asked.filter(({ method }) => method === "GET");
      const lists = gets.filter(({ path }) => path.includes("list-type")).length;
      const writes = asked.filter(({ method }) => method === "PUT").length;
      figures.push({ ...cost, writes, lists, reads: gets.length - lists });
    }
    return figures;
  } finally {
    await s3.close();
  }
}

/** The paths of the first build, of the night after, and of the same again. */
async function nightsOf(resolutions: readonly Resolution[]): Promise<Nights> {
  const after: string[] = [];
  const before: string[] = [];
  for (let seed = 1; seed <= tokens; seed++) {
    const path = await withResolutions(await simulatedToken(SIZE, { seed }), resolutions);
    after.push(path);
    before.push(await withoutLastDay(path));
  }
  return [before, after, after];
}

const nights = { dayAndHour: await nightsOf(["day", "hour"]), all: await nightsOf(["day", "hour", "block"]) };
const figures = await withCheckout(options.against, (versions) =>
  medianFigures(
    Number(options.rounds),
    Object.fromEntries(
      Object.entries(versions).flatMap(([version, from]) => [
        [`${S3}, ${version}`, async () => flat(await throughS3(nights.dayAndHour, from))],
        [`${LOCAL}, ${version}`, async () => flat(await intoLocalStore(nights.all, from))],
      ]),
    ),
    (name, round) => say(`round ${round + 1}: ${name}`),
  ),
);
await saveResults("small", { options, figures });

/** Figures of all steps, each by its step. */
function flat(all: readonly Figures[]): Record<string, number> {
  return Object.fromEntries(
    all.flatMap((one, step) => Object.entries(one).map(([figure, value]) => [`${STEPS[step]} ${figure}`, value])),
  );
}

const each = (count: number | undefined) => (count === undefined ? "" : `${Number((count / tokens).toFixed(1))}`);
console.log(`${await settingText()}\n`);
for (const step of STEPS) {
  console.log(
    formatTable({
      title: `${tokens} tokens of ${SIZE.transfers.toLocaleString("en-US")} transfers, ${step}; for each`,
      columns: ["", "CPU time", "writes", "lists", "reads", "peak memory of all"],
      rows: Object.entries(figures).map(([name, figure]) => [
        name,
        duration(figure[`${step} cpu`]! / tokens),
        ...["writes", "lists", "reads"].map((kind) => each(figure[`${step} ${kind}`])),
        bytes(figure[`${step} peak`]!),
      ]),
    }),
  );
}
