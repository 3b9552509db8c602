/**
 * Builds of large tokens, beside those of an earlier commit: wall time, CPU time and memory of all processes, as ratios.
 *
 *   npm run bench:large -- --transfers 20000000 --against c311675 --resolutions day,hour --memory 1G --rounds 3
 *
 * Without `--against`, only this version is measured; `--memory` applies to this version alone. `--night` measures the
 * last day on top of the build of the days before. The token is simulated into .bench/ and kept: some 30 bytes a transfer,
 * 3 GB for 100,000,000, in 4 seconds of CPU time a million. Stores and work folders are removed after each build.
 */

import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { RESOLUTIONS } from "../data-schema/registry.ts";
import { type BuildCost, bytesBelow, costOfBuilds } from "./lib/builds.ts";
import { withCheckout } from "./lib/checkout.ts";
import { settingText, simulatedToken, tokenSize, withoutLastDay, withResolutions } from "./lib/data.ts";
import { bytes, duration, formatTable, times } from "./lib/markdown.ts";
import { saveResults, say } from "./lib/results.ts";
import { medianFigures } from "./lib/rounds.ts";

const { values: options } = parseArgs({
  options: {
    transfers: { type: "string", default: "5000000" },
    resolutions: { type: "string", default: "day,hour" },
    against: { type: "string" },
    memory: { type: "string" },
    rounds: { type: "string", default: "1" },
    night: { type: "boolean", default: false },
  },
});

const size = tokenSize(Number(options.transfers));
// Large tokens have more holders for each transfer.
if (size.transfers >= 1e8) size.addresses = size.transfers / 5;
const resolutions = RESOLUTIONS.filter((resolution) => options.resolutions.split(",").includes(resolution));
const asset = await withResolutions(await simulatedToken(size, { monthly: true }), resolutions);
const paths = options.night ? [await withoutLastDay(asset), asset] : [asset];
const lastOf = async (costs: Promise<BuildCost[]>) => (await costs).at(-1)!;
say(`Inputs: ${bytes(bytesBelow(dirname(asset)))} in ${dirname(asset)}.`);

const limit = options.memory === undefined ? [] : ["--memory", options.memory];
const figures = await withCheckout(options.against, (versions) =>
  medianFigures(
    Number(options.rounds),
    Object.fromEntries(
      Object.entries(versions).map(([version, from]) => [
        version,
        () => lastOf(costOfBuilds(paths, version === "now" ? limit : [], from)),
      ]),
    ),
    (name, round) => say(`round ${round + 1}: ${name}`),
  ),
);
await saveResults("large", { options, figures });
const { now } = figures;
const count = size.transfers.toLocaleString("en-US");
console.log(`${await settingText()}\n`);
console.log(
  formatTable({
    title: `${count} transfers, ${size.addresses.toLocaleString("en-US")} addresses, ${resolutions.join(" + ")}${options.night ? ", one night" : ""}`,
    columns: ["build", "time", "now / it", "CPU time", "now / it", "peak memory", "now / it", "written"],
    rows: Object.entries(figures).map(([name, { wall, cpu, peak, written }]) => [
      name === "now" ? `now ${options.memory ?? ""}`.trim() : name,
      ...[duration(wall), times(now!.wall / wall)],
      ...[duration(cpu), times(now!.cpu / cpu)],
      ...[bytes(peak), times(now!.peak / peak)],
      bytes(written),
    ]),
  }),
);
