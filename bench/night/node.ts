/** A node of many quiet tokens: `node.ts TOKENS DAYS`. */

import { serveChain } from "../node/serve.ts";
import { QuietChain } from "./chain.ts";

const CONFIRMATIONS = 15;

const [tokens = 1, days = 3] = process.argv.slice(2).map(Number);
serveChain(new QuietChain(tokens, days), CONFIRMATIONS);
