/**
 * A node of a simulated token, whose blocks are final at once: `node.ts FOLDER`. Says also the first block, the time of block 0
 * and the last block.
 */

import { serveChain } from "../node/serve.ts";
import { SimulatedChain } from "./chain.ts";

const chain = await SimulatedChain.read(process.argv[2]!);
serveChain(chain, 0, [chain.firstBlock, chain.genesis, chain.lastBlock]);
