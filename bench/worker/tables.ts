/** The Worker's figures as tables, ratios first. */

import { amount, type BenchTable, bytes, duration, times } from "../table.ts";
import { type Contender, PEERS } from "./bench.ts";
import { DELAY_MS, type FarFigures } from "./far.ts";
import type { FormattingFigures } from "./formats.ts";
import type { MemoryFigures } from "./memory.ts";
import type { QueryFigures } from "./requests.ts";
import type { SoakFigures } from "./soaking.ts";
import type { Startup } from "./startup.ts";
import type { StreamFigures } from "./streams.ts";

export interface WorkerFigures {
  queries: QueryFigures[];
  peers: QueryFigures[];
  formatting: FormattingFigures;
  streams: StreamFigures;
  far: FarFigures[];
  memory: MemoryFigures[];
  startup: Startup;
  soak: SoakFigures | null;
}

export function all(figures: WorkerFigures): BenchTable[] {
  const { queries, peers, far, memory, soak } = figures;
  return [
    ...[stateTable(queries), peerTable(peers), farTable(far), memoryTable(memory), singleFigures(figures)],
    ...(soak ? [soakTable(soak)] : []),
  ];
}

const rate = ({ figures }: QueryFigures, contender: Contender) => figures[contender]?.requestsPerSecond ?? Number.NaN;

const AGAINST_RENDERED = {
  "cold / (i)": "cold",
  "colo-warm / (i)": "colo",
  "warm / (i)": "warm",
  "(ii) / (i)": "constant",
} as const;

function stateTable(queries: readonly QueryFigures[]): BenchTable {
  return {
    title: "Requests per second, against (i) the same JSON rendered in advance and read from R2",
    columns: ["query", "connections", ...Object.keys(AGAINST_RENDERED), "(i)", "warm", "warm, p50"],
    rows: queries.map((measured) => {
      const rendered = rate(measured, "rendered");
      return [
        `${measured.query}, ${measured.points.toLocaleString("en")} points`,
        String(measured.connections),
        ...Object.values(AGAINST_RENDERED).map((contender) => times(rate(measured, contender) / rendered)),
        `${amount(rendered)}/s`,
        `${amount(rate(measured, "warm"))}/s`,
        duration(measured.figures.warm?.latency ?? Number.NaN),
      ];
    }),
  };
}

function peerTable(peers: readonly QueryFigures[]): BenchTable {
  const numbers = ["(iii)", "(iv)", "(v)"];
  const pairs = (["cold", "warm"] as const).flatMap((state) =>
    PEERS.map((peer, index) => ({ state, peer, number: numbers[index] })),
  );
  return {
    title: "The Worker against (iii) the straightforward way, (iv) hyparquet, (v) a Node server over DuckDB",
    columns: ["query", "connections", ...pairs.map(({ state, number }) => `${state} / ${number}`)],
    rows: peers.map((measured) => [
      measured.query,
      String(measured.connections),
      ...pairs.map(({ state, peer }) => times(rate(measured, state) / rate(measured, peer))),
    ]),
  };
}

function farTable(far: readonly FarFigures[]): BenchTable {
  return {
    title: `With ${DELAY_MS} ms added to every read of R2: median time of a request`,
    columns: ["query", "nothing cached", "cold", "colo-warm", "warm"],
    rows: far.map(({ query, latency }) => [
      query,
      ...[latency.first, latency.cold, latency.colo, latency.warm].map(duration),
    ]),
  };
}

function memoryTable(memory: readonly MemoryFigures[]): BenchTable {
  return {
    title: "The isolate's memory, at most, and ten seconds and 100 short requests later",
    columns: ["clients", "served", "refused", "inspector", "own account", "inspector, later", "own account, later"],
    rows: memory.map(({ what, served, refused, peak, after }) => [
      what,
      String(served),
      String(refused),
      ...[peak.heap, peak.account, after.heap, after.account].map(bytes),
    ]),
  };
}

function singleFigures({ formatting, streams, startup }: WorkerFigures): BenchTable {
  return {
    title: "Other figures",
    columns: ["what", "figure"],
    rows: [
      ["formatting alone, per point", duration(formatting.kernel)],
      ["the same by concatenation in JavaScript", duration(formatting.concatenation)],
      ["CSV formatted and compressed, per point", duration(formatting.gzip)],
      ["all blocks streamed cold, per point", duration(streams.seconds / streams.points)],
      ["all blocks, first byte", duration(streams.firstByte)],
      ["start-up, window", duration(startup.window)],
      ["start-up, active", duration(startup.active)],
      ["bundle, compressed", bytes(startup.bundle)],
    ],
  };
}

function soakTable({ requests, aborted, errors, seconds, before, after }: SoakFigures): BenchTable {
  return {
    title: "Many requests, 32 at a time",
    columns: ["what", "figure"],
    rows: [
      ["requests", amount(requests)],
      ["of them aborted", amount(aborted)],
      ["errors", String(errors)],
      ["requests per second", amount(requests / seconds)],
      ["WASM memory before and after", `${bytes(before.wasm)}, ${bytes(after.wasm)}`],
      ["the isolate's own account before and after", `${bytes(before.account)}, ${bytes(after.account)}`],
    ],
  };
}
