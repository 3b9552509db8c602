/** Many requests of all kinds, some of them broken off midway: does the Worker stay as it was? */

import { Connection } from "./connection.ts";

export interface SoakJob {
  port: number;
  /** Asked for in turn. */
  paths: string[];
  connections: number;
  requests: number;
  /** Of them so many are broken off once the first bytes are there. */
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
