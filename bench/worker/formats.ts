/** Formatting alone, in the Worker: by the kernel, and by JavaScript; and CSV with its compression. */

import { medianFigures } from "../lib/rounds.ts";
import type { Bench } from "./bench.ts";
import { FORMATTED_POINTS, pathOf, QUERIES } from "./queries.ts";

/** Seconds per point. */
export type FormattingFigures = Record<"kernel" | "wide" | "concatenation" | "gzip", number>;

export async function measureFormatting({ load, server }: Bench): Promise<FormattingFigures> {
  const run = async (contender: string) => {
    const headers = { "x-contender": contender };
    const job = {
      port: server.port,
      pid: server.pid,
      path: pathOf(QUERIES[0]!),
      headers,
      connections: 1,
      seconds: 0.3,
    };
    const { latency } = await load.run({ ...job, requests: Number.MAX_SAFE_INTEGER });
    return { seconds: latency / FORMATTED_POINTS };
  };
  const { kernel, wide, concatenation, gzip } = await medianFigures(7, {
    kernel: () => run("format"),
    wide: () => run("format-wide"),
    concatenation: () => run("concatenate"),
    gzip: () => run("gzip"),
  });
  return { kernel: kernel.seconds, wide: wide.seconds, concatenation: concatenation.seconds, gzip: gzip.seconds };
}
