/** `soprano init`: from a contract's address and a node to an ASSET.json. Source: docs/chain.md#init. */

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { MAX_NAME, parseSymbol } from "../../../data-schema/asset.ts";
import type { ContractKind } from "../../../data-schema/registry.ts";
import { isoDay } from "../../../data-schema/text.ts";
import { readAsset } from "../../input/asset/asset.ts";
import type { Source } from "../../input/asset/source.ts";
import { Failure } from "../../lib/failure.ts";
import { count, counted } from "../../lib/terminal/amount-text.ts";
import { type Block, readFirstBlock } from "../chain/blocks.ts";
import type { Nodes, NodesOptions } from "../chain/nodes/nodes.ts";
import { openNodes } from "../chain/nodes/open-nodes.ts";
import { findFirstBlock, ifKept } from "../chain/scan/creation.ts";
import type { StateBlock } from "../chain/scan/state-block.ts";
import { fitSymbol } from "../chain/text.ts";
import { SHIPPED_LABELS } from "../labels/shipped.ts";
import { parseOpening } from "../transfers/opening.ts";
import { chainName } from "./chains.ts";
import { chooseKinds } from "./choices/kinds.ts";
import { choosePrices, poolText } from "./choices/prices.ts";
import { askDecimals, askMaxSupply, askSymbol } from "./choices/questions.ts";
import { detectEvents, type OpeningBalance } from "./detect.ts";
import type { Prompt } from "./prompt.ts";
import { atReadableBlock, readableBlock } from "./readable-block.ts";
import { changedSymbol, checkSymbolIsFree } from "./symbol.ts";
import { implementationSymbol, readToken, type TokenContract } from "./token-contract.ts";
import { checkIsNew, writeNew } from "./write-asset.ts";

export interface InitOptions {
  /** The contract's, lower-case. */
  address: string;
  urls: readonly string[];
  headers?: NodesOptions["headers"];
  /** Folder of the ASSET.json. */
  out: string;
  symbol?: string;
  decimals?: number;
  maxSupply?: string;
  firstBlock?: number;
  /** Path of a table of balances that no event explains. */
  opening?: string;
  prices?: string;
  pools?: readonly string[];
  /** Dollars by the address of a quote token, lower-case. */
  quoteUsd?: ReadonlyMap<string, number>;
  /** Kinds of contracts that become cohorts; by default those that hold the token are proposed. */
  cohorts?: readonly ContractKind[];
  confirmations?: number;
  ask: Prompt;
  /** What init finds and decides, line by line. */
  note(line: string): void;
  signal?: NodesOptions["signal"];
}

/**
 * @returns the path of the ASSET.json
 * @throws {Failure} the contract is not an ERC-20 that adds up, a question has no answer, or the file exists
 */
export async function init(options: InitOptions): Promise<string> {
  const { address, note, ask, out } = options;
  const nodes = await openNodes(options.urls, {
    onNotice: note,
    signal: options.signal,
    headers: options.headers,
  });
  try {
    const given = options.opening === undefined ? undefined : await readGiven(options.opening);
    const at = await readableBlock(nodes, address, options.confirmations);
    const token = await readToken(nodes, address, at);
    const symbol = options.symbol ?? (await symbolOf(nodes, token, at, options));
    const path = join(out, `${symbol}.json`);
    await checkIsNew(path);
    const known = await checkSymbolIsFree(out, symbol, { chainId: nodes.chainId, contract: address });
    if (known !== undefined) note(known);
    const decimals = await decimalsOf(token, options.decimals, ask);
    const name = token.name || symbol;
    if (token.isNameChanged) note(`The contract's name becomes one line of at most ${MAX_NAME} characters: "${name}".`);
    note(
      `${name} (${symbol}), ${counted(decimals, "decimal")}, on ${chainName(nodes.chainId)} (chain ${nodes.chainId})`,
    );
    const firstBlock = await firstBlockOf(nodes, token, at, options.firstBlock);
    const { time } = await readFirstBlock(nodes, firstBlock);
    note(`First block ${count(firstBlock)}, of ${isoDay(time)}`);
    const detect = (at: StateBlock) => detectEvents(nodes, token, { firstBlock, at, given });
    const detected = await atReadableBlock(nodes, address, options.confirmations, detect);
    const { events, owners, opening, notices } = detected;
    note(`Events: ${events}`);
    for (const notice of notices) note(notice);
    const maxSupply = options.maxSupply ?? (await askMaxSupply(ask, token.totalSupply, decimals));
    const prices = await choosePrices(
      nodes,
      { contract: address, decimals },
      { given: options.prices, named: options.pools, quoteUsd: options.quoteUsd, note },
      ask,
      (pools) => {
        for (const pool of pools) note(`Found ${poolText(pool)}`);
      },
    );
    if (prices === undefined)
      note("No prices: every amount in dollars will be 0. See source.prices in docs/building.md.");
    if (!SHIPPED_LABELS.has(nodes.chainId)) note(withoutLabels(nodes.chainId));
    const cohorts = await chooseKinds({
      nodes,
      contract: address,
      confirmations: options.confirmations,
      totalSupply: token.totalSupply,
      given: options.cohorts,
      ask,
      note,
    });
    const source: Source = {
      chainId: nodes.chainId,
      firstBlock,
      events,
      ...(opening.length > 0 && { openingBalances: `${symbol}.opening.csv` }),
      ...(owners && { owners }),
      ...(prices !== undefined && { prices }),
      labels: "default",
    };
    const chain = chainName(nodes.chainId);
    const asset = {
      ...{ symbol, name, chain, contract: address, decimals, maxSupply, deposits: "detect", source },
      ...(cohorts && { cohorts }),
    };
    const openingPath = join(out, `${symbol}.opening.csv`);
    if (opening.length > 0) await writeNew(openingPath, formatOpening(opening));
    try {
      await writeNew(path, `${JSON.stringify(asset, null, 2)}\n`);
    } catch (error) {
      if (opening.length > 0) await rm(openingPath, { force: true });
      throw error;
    }
    if (opening.length > 0) note(`${counted(opening.length, "balance")} that no event explains: see ${openingPath}`);
    // What was written is what the other commands read.
    await readAsset(path);
    return path;
  } finally {
    nodes.close();
  }
}

const withoutLabels = (chainId: number) =>
  `No exchange is known on ${chainName(chainId)} (chain ${chainId}): no address counts as an exchange, and cex_* says nothing, ` +
  'until you name a list as "exchanges" in ASSET.json. See docs/labels.md.';

/** @throws {Failure} the file can't be read, or is no table of balances */
async function readGiven(path: string): Promise<OpeningBalance[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`--opening ${path} can't be read (${error.code}).`);
  });
  return parseOpening(path, text).filter(({ value }) => value > 0n);
}

async function symbolOf(
  nodes: Nodes,
  token: TokenContract,
  at: Block,
  { ask, note }: Pick<InitOptions, "ask" | "note">,
): Promise<string> {
  const own = parseSymbol(token.symbol);
  if (own !== undefined) return own;
  const text = token.symbol || (await implementationSymbol(nodes, token, at));
  const proposal = fitSymbol(text);
  if (proposal !== undefined) {
    if (token.symbol === "") note(`The contract has no symbol; that of its implementation is "${text}".`);
    if (proposal !== parseSymbol(text)) note(changedSymbol(text, proposal));
  }
  const question = token.symbol === "" ? "Symbol, which the contract does not have" : `Symbol for "${token.symbol}"`;
  return askSymbol(ask, question, proposal);
}

async function decimalsOf(token: TokenContract, given: number | undefined, ask: Prompt): Promise<number> {
  if (token.decimals !== undefined) {
    if (given === undefined || given === token.decimals) return token.decimals;
    throw new Failure(`The contract says that it has ${token.decimals} decimals, not ${given}. Leave --decimals out.`);
  }
  if (given !== undefined) return given;
  return askDecimals(ask, "Decimals, which the contract does not say");
}

async function firstBlockOf(
  nodes: Nodes,
  { contract }: TokenContract,
  at: StateBlock,
  given: number | undefined,
): Promise<number> {
  const found = given ?? (await findFirstBlock(nodes, contract.address, at.number));
  if (found === undefined) {
    throw new Failure(
      "The node does not keep old states, so it can't tell in which block the contract was created. Look it up in a block explorer, " +
        "and give it with --first-block N.",
    );
  }
  if (found > at.final) throw new Failure(`Block ${found} is not final yet: the last final one is ${at.final}.`);
  // A later block would leave out transfers. Not every node can tell.
  const isGiven = given !== undefined && given > 0;
  const before = isGiven ? await ifKept(() => contract.code(given - 1)) : undefined;
  if (before !== undefined && before !== "0x") {
    throw new Failure(`The contract existed before block ${given}. Give the block of its creation with --first-block.`);
  }
  return found;
}

const formatOpening = (opening: readonly OpeningBalance[]) =>
  ["address,value", ...opening.map(({ address, value }) => `${address},${value}`), ""].join("\n");
