/** Where an asset's prices come from: asked for, proposed from the pools on the chain. */

import { PRICE_FORMS, type PriceSource, parseArchive } from "../../../input/asset/source.ts";
import { Failure } from "../../../lib/failure.ts";
import type { Nodes } from "../../chain/nodes/nodes.ts";
import { archiveOf } from "../../prices/archives/archives.ts";
import { type FoundPool, findPools, type Worths } from "../../prices/find-pools.ts";
import { CHAINS } from "../../prices/pools/pool-chains.ts";
import type { Prompt } from "../prompt.ts";

/**
 * Parses `--prices`.
 *
 * @param pools what `pools` stands for
 * @returns undefined for `none`
 * @throws {Failure} it has none of the forms
 */
function parsePrices(text: string, pools: readonly FoundPool[]): PriceSource | undefined {
  const archive = parseArchive(text);
  if (archive) {
    archiveOf(archive)?.check();
    return archive;
  }
  if (text === "none") return undefined;
  if (/\.(csv|csv\.gz|parquet)$/i.test(text)) return text;
  if (text !== "pools") throw new Failure(`Prices come from ${PRICE_FORMS}; "${text}" is none of them.`);
  if (pools.length === 0) throw new Failure("No pool was found: name some with --pools, or choose another source.");
  return { pools: pools.map(({ address, kind, quoteUsd }) => ({ address, kind, quoteUsd })) };
}

/**
 * @param given `--prices`
 * @param named `--pools`
 * @param quoteUsd `--quote-usd`
 * @param onPools tells what is proposed, before the question
 */
export async function choosePrices(
  nodes: Nodes,
  token: { contract: string; decimals: number },
  { given, named, ...worths }: { given: string | undefined; named: readonly string[] | undefined } & Worths,
  ask: Prompt,
  onPools: (pools: readonly FoundPool[]) => void,
): Promise<PriceSource | undefined> {
  if (named && given !== undefined && given !== "pools") {
    throw new Failure(`--pools names pools, but --prices ${given} does not use them: leave one of the two out.`);
  }
  if (!named && worths.quoteUsd) {
    throw new Failure(
      "--quote-usd says what the quote tokens of --pools are worth: name the pools, too, or leave it out.",
    );
  }
  const isWanted = given === undefined || given === "pools";
  const pools = isWanted ? await findPools(nodes, token, named, CHAINS[nodes.chainId], worths) : [];
  onPools(pools);
  // Pools that are named are an answer.
  const answer = given ?? (named ? "pools" : undefined);
  if (answer !== undefined) return parsePrices(answer, pools);
  return ask({
    text: `Prices from ${PRICE_FORMS}`,
    proposal: pools.length > 0 ? "pools" : "none",
    option: "--prices",
    parse: (text) => parsePrices(text, pools),
  });
}

/** `uniswap-v2 0x12… against USDC, which counts as 1 USD: 1,234,567 USD deep, 0.0123 USD per token`. */
export function poolText({ kind, address, quote, quoteUsd, depthUsd, priceUsd }: FoundPool): string {
  const usd = (value: number) => value.toLocaleString("en-US", { maximumSignificantDigits: 6 });
  const worth = typeof quoteUsd === "number" ? `, which counts as ${usd(quoteUsd)} USD` : "";
  return `${kind} ${address} against ${quote}${worth}: ${usd(Math.round(depthUsd))} USD deep, ${usd(priceUsd)} USD per token`;
}
