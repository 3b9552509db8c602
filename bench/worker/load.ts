/** Sends requests from its own process, which `LoadProcess` starts and gives jobs. */

import { median } from "../rounds.ts";
import { type Answer, Connection } from "./connection.ts";
import type { Job, Measured } from "./load-process.ts";
import { type SoakJob, soak } from "./soak.ts";

process.on("message", async (job: Job | SoakJob) => {
  try {
    process.send!({ result: "paths" in job ? await soak(job) : await run(job) });
  } catch (error) {
    process.send!({ error: String(error) });
  }
});

async function run({ port, path, headers, connections, seconds, requests, bytesPerSecond }: Job): Promise<Measured> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  if (bytesPerSecond) for (const connection of open) connection.slowDown(bytesPerSecond);
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
    requestsPerSecond: answers.length / took,
    latency: median(answers.map((answer) => answer.seconds)),
    firstByte: median(answers.map((answer) => answer.firstByte)),
    bytes: answers[0]!.bytes,
  };
}
