/** Many requests of all kinds, some of them aborted midway, to see whether the Worker's memory grows. */

import { Connection } from "./connection.ts";

export interface SoakJob {
  port: number;
  /** Requested in turn. */
  paths: string[];
  connections: number;
  requests: number;
  /** How many of them are aborted when their first bytes arrive. */
  aborted: number;
}

export type Soaked = { requests: number; aborted: number; errors: number; seconds: number };

export async function soak({ port, paths, connections, requests, aborted }: SoakJob): Promise<Soaked> {
  const every = Math.round(requests / aborted);
  const done: Soaked = { requests: 0, aborted: 0, errors: 0, seconds: 0 };
  const began = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      let connection = await Connection.open(port);
      for (let number = next++; number < requests; number = next++) {
        const path = paths[number % paths.length]!;
        try {
          if (number % every === every - 1) {
            await connection.abortMidway(path);
            done.aborted++;
            connection = await Connection.open(port);
          } else if ((await connection.get(path, {})).status !== 200) done.errors++;
        } catch {
          done.errors++;
          connection = await Connection.open(port);
        }
        done.requests++;
      }
      connection.abort();
    }),
  );
  done.seconds = (performance.now() - began) / 1000;
  return done;
}
