/** What lots cost beside the average: builds and nights with and without them, and a piece by each method. */

import { LOT_METHODS, type LotMethod } from "../../data-schema/registry.ts";
import { costOfBuilds } from "../lib/builds.ts";
import { runChild } from "../lib/child.ts";
import { withLots, withoutLastDay } from "../lib/data.ts";
import { amount, type BenchTable, bytes, duration, times } from "../lib/markdown.ts";
import { medianFigures, type OnRun } from "../lib/rounds.ts";
import type { LotFigures } from "./lots.ts";
import type { WalletFigures } from "./wallet.ts";

const BUILT_METHOD: LotMethod = "fifo";
const YEARS = [1, 5, 20];
const YEAR_HOURS = 8_760;

/** CPU seconds and bytes written. */
type BuildAndNight = Record<"cpu" | "written" | "nightCpu" | "nightWritten", number>;

/** @param asset path of the ASSET.json of a token without lots */
export async function measureLots(
  asset: string,
  rounds: number,
  onRun: OnRun,
): Promise<{ figures: Record<string, unknown>; tables: BenchTable[] }> {
  const lotAsset = await withLots(asset, [BUILT_METHOD]);
  const [before, lotsBefore] = [await withoutLastDay(asset), await withoutLastDay(lotAsset)];
  const builds = await medianFigures(
    rounds,
    { none: () => buildAndNight(before, asset), lots: () => buildAndNight(lotsBefore, lotAsset) },
    onRun,
  );
  const tokens = await medianFigures(
    rounds,
    eachMethod((method) => runChild<LotFigures>(program("lots"), method, asset)),
    onRun,
  );
  const wallets = new Map<number, Record<LotMethod, WalletFigures>>();
  for (const years of YEARS) {
    const run = (method: LotMethod) => runChild<WalletFigures>(program("wallet"), method, years * YEAR_HOURS);
    wallets.set(years, await medianFigures(rounds, eachMethod(run), onRun));
  }
  return {
    figures: { builds, tokens, wallets: Object.fromEntries(wallets) },
    tables: [buildTable(builds), tokenTable(tokens), walletTable(wallets)],
  };
}

const program = (name: string) => new URL(`${name}.ts`, import.meta.url);

const eachMethod = <F>(run: (method: LotMethod) => Promise<F>) =>
  Object.fromEntries(LOT_METHODS.map((method) => [method, () => run(method)])) as Record<LotMethod, () => Promise<F>>;

async function buildAndNight(before: string, asset: string): Promise<BuildAndNight> {
  const [build, night] = await costOfBuilds([before, asset]);
  return { cpu: build!.cpu, written: build!.written, nightCpu: night!.cpu, nightWritten: night!.written };
}

const buildTable = ({ none, lots }: Record<"none" | "lots", BuildAndNight>): BenchTable => ({
  title: `Lots by ${BUILT_METHOD} beside the average, 1,000,000 transfers, day and hour, 2 threads, local store`,
  columns: ["", "without lots", "with", "ratio"],
  rows: [
    ["CPU time of a build", duration(none.cpu), duration(lots.cpu), times(lots.cpu / none.cpu)],
    ["its bytes", bytes(none.written), bytes(lots.written), times(lots.written / none.written)],
    ["CPU time of a night", duration(none.nightCpu), duration(lots.nightCpu), times(lots.nightCpu / none.nightCpu)],
    ["its bytes", bytes(none.nightWritten), bytes(lots.nightWritten), times(lots.nightWritten / none.nightWritten)],
  ],
});

const tokenTable = (tokens: Record<LotMethod, LotFigures>): BenchTable => ({
  title: "Lots of 1,000,000 transfers, one method on one thread",
  columns: [
    "method",
    "transfers a second of CPU",
    "lots a holder",
    "lots a transfer",
    "pieces a send",
    "at most",
    "CPU time of a piece",
  ],
  rows: LOT_METHODS.map((method) => {
    const { transfers, sends, pieces, mostPieces, lots, holders, seconds } = tokens[method];
    return [
      ...[method, amount(transfers / seconds), amount(lots / holders), amount(lots / transfers)],
      ...[amount(pieces / sends), amount(mostPieces), duration(seconds / pieces)],
    ];
  }),
});

const walletTable = (wallets: ReadonlyMap<number, Record<LotMethod, WalletFigures>>): BenchTable => ({
  title: "A wallet with a receipt and four small sends in every hour, then a sweep: CPU time of a piece",
  columns: ["years", ...LOT_METHODS.flatMap((method) => [method, `${method}, swept`])],
  rows: Array.from(wallets, ([years, figures]) => [
    `${years}`,
    ...LOT_METHODS.flatMap((method) => {
      const { secondsAPiece, secondsASweptPiece } = figures[method];
      return [duration(secondsAPiece), duration(secondsASweptPiece)];
    }),
  ]),
});
