/** The Worker's figures as tables, ratios first. */

import { amount, type BenchTable, bytes, duration, times } from "../lib/markdown.ts";
import { type Contender, PEERS } from "./bench.ts";
import { BUCKETS } from "./distribution-points.ts";
import { type DistributionFigures, LIMIT } from "./distributions.ts";
import { DELAY_MS, type FarFigures } from "./far.ts";
import type { FormattingFigures } from "./formats.ts";
import type { MemoryFigures } from "./memory.ts";
import type { QueryFigures } from "./requests.ts";
import type { SoakFigures } from "./soaking.ts";
import type { Startup } from "./startup.ts";
import type { StreamFigures } from "./streams.ts";
import { WIDE_STATES, type WideFigures } from "./wide.ts";

export interface WorkerFigures {
  queries: QueryFigures[];
  peers: QueryFigures[];
  wide: WideFigures;
  distributions: DistributionFigures;
  formatting: FormattingFigures;
  streams: StreamFigures;
  far: FarFigures[];
  memory: MemoryFigures[];
  startup: Startup;
  soak: SoakFigures | null;
}

export function all(figures: WorkerFigures): BenchTable[] {
  const { queries, peers, wide, distributions, formatting, far, memory, soak } = figures;
  return [
    ...[
      stateTable(queries),
      cpuTable(queries),
      peerTable(peers),
      wideTable(wide, formatting),
      hoursTable(wide),
      distributionTable(distributions),
      farTable(far),
      memoryTable(memory),
      singleFigures(figures),
    ],
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

const COSTED = ["cold", "colo", "warm", "rendered"] as const;

function cpuTable(queries: readonly QueryFigures[]): BenchTable {
  const cpu = ({ figures }: QueryFigures, contender: Contender) => figures[contender]?.cpu ?? Number.NaN;
  return {
    title: "CPU time of workerd for a request, with Miniflare's R2; (i) against it",
    columns: ["query", "connections", "cold", "colo-warm", "warm", "(i)", "(i) / cold", "(i) / warm"],
    rows: queries.map((measured) => [
      measured.query,
      String(measured.connections),
      ...COSTED.map((contender) => duration(cpu(measured, contender))),
      ...(["cold", "warm"] as const).map((state) => times(cpu(measured, "rendered") / cpu(measured, state))),
    ]),
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

function wideTable({ series, days, v1, formats }: WideFigures, formatting: FormattingFigures): BenchTable {
  return {
    title: `${series} day series of ${days.toLocaleString("en")} points in one answer`,
    columns: [
      "format",
      "state",
      "p50",
      "time / one series",
      "CPU time / one series",
      `${series} requests of v1 / time`,
      "a value, less formatting",
      "bytes / v1",
    ],
    rows: Object.entries(formats).flatMap(([format, { oneDay, allDays }]) =>
      WIDE_STATES.map((state) => {
        const { latency, cpu, bytes } = allDays[state];
        return [
          format,
          state,
          duration(latency),
          times(latency / oneDay[state].latency),
          times(cpu / oneDay[state].cpu),
          times((series * v1[state].latency) / latency),
          duration(latency / (series * days) - formatting.wide),
          times(bytes / (series * v1[state].bytes)),
        ];
      }),
    ),
  };
}

function hoursTable({ series, hours, rendered, formats }: WideFigures): BenchTable {
  const rowsPerSecond = (format: keyof typeof formats, state: (typeof WIDE_STATES)[number]) =>
    hours / formats[format].allHours[state].latency;
  return {
    title: `All hours: one series, and ${series} series, by GET /v3/series`,
    columns: [
      "format",
      "one series, warm / (i)",
      ...WIDE_STATES.flatMap((state) => [`${series} series, ${state}: rows a second`, "against CSV"]),
    ],
    rows: (Object.keys(formats) as (keyof typeof formats)[]).map((format) => [
      format,
      times(rendered.latency / formats[format].oneHour.warm.latency),
      ...WIDE_STATES.flatMap((state) => [
        amount(rowsPerSecond(format, state)),
        times(rowsPerSecond(format, state) / rowsPerSecond("csv", state)),
      ]),
    ]),
  };
}

function distributionTable(formats: DistributionFigures): BenchTable {
  return {
    title: `Three years of a distribution by day, ${BUCKETS} buckets, by GET /v3/distributions`,
    columns: ["format", "state", "p50", `${duration(LIMIT)} / p50`, "bytes / CSV"],
    rows: Object.entries(formats).flatMap(([format, states]) =>
      WIDE_STATES.map((state) => {
        const { latency, bytes } = states[state];
        return [format, state, duration(latency), times(LIMIT / latency), times(bytes / formats.csv[state].bytes)];
      }),
    ),
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
      ["the same in wide rows of CSV, per value", duration(formatting.wide)],
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
