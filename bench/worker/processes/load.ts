/** Sends requests from its own process, which `LoadProcess` starts and gives jobs. */

import { median } from "../../lib/rounds.ts";
import { type Answer, Connection } from "./connection.ts";
import type { Answered, Job, Soaked, SoakJob } from "./load-process.ts";

process.on("message", async (job: Job | SoakJob) => {
  try {
    process.send!({ result: "paths" in job ? await soak(job) : await run(job) });
  } catch (error) {
    process.send!({ error: String(error) });
  }
});

async function run({ port, path, headers, connections, seconds, requests }: Job): Promise<Answered> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  const answers: Answer[] = [];
  const began = performance.now();
  const isOver = () => answers.length >= requests || (performance.now() - began) / 1000 >= seconds;
  await Promise.all(
    open.map(async (connection) => {
      do {
        const answer = await connection.get(path, headers);
        if (answer.status !== 200) throw new Error(`${path} ${JSON.stringify(headers)}: status ${answer.status}`);
        answers.push(answer);
      } while (!isOver());
    }),
  );
  const took = (performance.now() - began) / 1000;
  for (const connection of open) connection.abort();
  return {
    requests: answers.length,
    requestsPerSecond: answers.length / took,
    latency: median(answers.map((answer) => answer.seconds)),
    firstByte: median(answers.map((answer) => answer.firstByte)),
    bytes: answers[0]!.bytes,
  };
}

/** Shows whether the Worker's memory grows. */
async function soak({ port, paths, connections, requests, aborted }: SoakJob): Promise<Soaked> {
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
