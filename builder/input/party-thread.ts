/** A thread that reads senders and receivers of transfers, and posts them in the end. */

import { parentPort, workerData } from "node:worker_threads";
import { withDatabase } from "./database.ts";
import { PartyColumns } from "./party-columns.ts";
import { readColumns, readParties, roomFor, type TransferFiles } from "./transfers.ts";

const files = workerData as TransferFiles;
const parties = new PartyColumns(roomFor(files));
const { stop } = await withDatabase(1, (connection) => readColumns(connection, files, [parties], () => {}));
parentPort?.postMessage(readParties(parties, stop));
