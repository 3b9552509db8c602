/**
 * The slow reference of the tests, and the engine on the same token: `reference.ts ASSET.json ROUNDS`. The reference slows
 * down with every holder and price, so the token is small, which favours the reference.
 */

import { dirname } from "node:path";
import { readAsset } from "../../builder/input/asset/asset.ts";
import { csvOf, transfersOf } from "../../test/demo/simulate/read-back.ts";
import { readInput } from "../../test/in-memory/input.ts";
import { reference, type Token } from "../../test/reference/reference.ts";
import { medianFigures, timed } from "../lib/rounds.ts";
import { runEngine } from "./engine.ts";

export type ReferenceFigures = Record<"reference" | "engine" | "transfers", number>;

async function readToken(path: string): Promise<Token> {
  const { decimals, maxSupply, asOf = 0 } = await readAsset(path);
  const folder = dirname(path);
  return {
    decimals,
    maxSupply,
    asOf,
    transfers: await transfersOf(folder),
    prices: (await csvOf(folder, "prices.csv")).map(([time, usd]) => [Number(time), Number(usd)]),
    exchanges: Object.fromEntries(await csvOf(folder, "exchanges.csv")),
    contracts: (await csvOf(folder, "contracts.csv")).map(([address]) => address!),
  };
}

const [path, rounds] = process.argv.slice(2) as [string, string];
const token = await readToken(path);
const asset = await readAsset(path);
const input = await readInput(asset);
const medians = await medianFigures(Number(rounds), {
  reference: () => timed(() => reference(token)),
  engine: () => timed(() => runEngine(asset, input, { blocks: true })),
});
const figures: ReferenceFigures = {
  reference: medians.reference.seconds,
  engine: medians.engine.seconds,
  transfers: input.history.rows,
};
console.log(JSON.stringify(figures));
