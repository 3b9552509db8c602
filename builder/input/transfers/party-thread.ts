/** A thread that reads senders and receivers of transfers: PartyThread in transfers.ts starts it, and says of which files. */

import { parentPort } from "node:worker_threads";
import { withDatabase } from "../duckdb/database.ts";
import { PartyColumns } from "./party-columns.ts";
import { readColumns, readParties, roomFor, type TransferFiles } from "./read.ts";

parentPort?.once("message", async (files: TransferFiles) => {
  const parties = new PartyColumns(roomFor(files));
  const { stop } = await withDatabase(1, (connection) => readColumns(connection, files, [parties], () => {}));
  parentPort?.postMessage(readParties(parties, stop));
});
