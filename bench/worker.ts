/** `npm run bench:worker`: how fast the Worker answers, compared with alternatives. `--full` takes longer. */

import { formatTable } from "./lib/markdown.ts";
import { saveResults, say } from "./lib/results.ts";
import { type Bench, openBench } from "./worker/bench.ts";
import { measureDistributions } from "./worker/distributions.ts";
import { measureFar } from "./worker/far.ts";
import { measureFormatting } from "./worker/formats.ts";
import { measureMemory } from "./worker/memory.ts";
import { compareText, measurePeers, measureQueries } from "./worker/requests.ts";
import { measureSoak } from "./worker/soaking.ts";
import { startup } from "./worker/startup.ts";
import { measureStreams } from "./worker/streams.ts";
import * as tables from "./worker/tables.ts";
import { measureWide } from "./worker/wide.ts";

const isFull = process.argv.includes("--full");

const bench: Bench = await openBench();
try {
  await compareText(bench);
  say("queries in each state");
  const queries = await measureQueries(bench, isFull);
  say("queries, the other ways");
  const peers = await measurePeers(bench, isFull);
  say("many series");
  const wide = await measureWide(bench, isFull);
  say("distributions");
  const distributions = await measureDistributions(bench, isFull);
  say("formatting alone");
  const formatting = await measureFormatting(bench);
  say("the long stream");
  const streams = await measureStreams(bench, isFull);
  say("a far bucket");
  const far = await measureFar(bench);
  say("the isolate's memory");
  const memory = await measureMemory(bench.token);
  say("start-up");
  const start = await startup();
  if (isFull) say("100,000 requests");
  const soak = isFull ? await measureSoak(bench) : null;

  const figures = { queries, peers, wide, distributions, formatting, streams, far, memory, startup: start, soak };
  for (const table of tables.all(figures)) console.log(formatTable(table));
  await saveResults("worker", figures);
} finally {
  await bench.close();
}
