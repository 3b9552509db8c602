/** A worker thread of reading.ts: reads a share for each message, and answers with the number of its events. */

import { parentPort } from "node:worker_threads";
import { readShare } from "../../builder/input/transfers/read-share.ts";

parentPort!.on("message", async ({ asset, files, reading, index }) => {
  const { history } = await readShare(asset, files, reading, index, { threads: 1 });
  parentPort!.postMessage(history.rows);
});
