/** `soprano init --from`: an ASSET.json from files alone, without a node. Source: docs/building.md#from-files-alone. */

import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { V1_RESOLUTIONS } from "../../../../data-schema/registry.ts";
import { isoTime } from "../../../../data-schema/text.ts";
import { type AssetFile, readAsset } from "../../../input/asset/asset.ts";
import { withDatabase } from "../../../input/duckdb/database.ts";
import { filesGiven } from "../../../input/files/given-files.ts";
import { type Members, membersFor } from "../../../input/inspect/describe.ts";
import { type ContractRows, type Inspection, inspectFile } from "../../../input/inspect/inspect.ts";
import { readWhole } from "../../../input/inspect/read-whole.ts";
import { Failure } from "../../../lib/failure.ts";
import { count, counted } from "../../../lib/terminal/amount-text.ts";
import { fitSymbol } from "../../chain/text.ts";
import { readShippedLabels, SHIPPED_LABELS } from "../../labels/shipped.ts";
import { chainName } from "../chains.ts";
import { askDecimals, askMaxSupply, askSymbol } from "../choices/questions.ts";
import type { InitOptions } from "../init.ts";
import { checkIsNew, writeNew } from "../write-asset.ts";

export interface InitFromOptions
  extends Pick<InitOptions, "out" | "symbol" | "decimals" | "maxSupply" | "ask" | "note"> {
  /** Paths. */
  from: readonly string[];
  /** Lower-case; needed if the files have transfers of several, or don't say of which. */
  contract?: string | undefined;
  chain?: string | undefined;
}

/**
 * @returns the path of the ASSET.json
 * @throws {Failure} a file can't be read, it is unclear which token is meant, a question has no answer, or the file exists
 */
export async function initFrom(options: InitFromOptions): Promise<string> {
  const { ask, note, out } = options;
  const inspections = await inspectAll(options.from);
  for (const { file, role, what, rows } of inspections)
    note(`${file.name}: ${role}, ${what}, ${counted(rows ?? 0, "row")}`);
  const found = contractOf(inspections, options.contract);
  note(`Contract ${found.contract}`);
  const symbol = options.symbol ?? (await askSymbol(ask, "Symbol", fitSymbol(found.symbol ?? "")));
  const path = join(out, `${symbol}.json`);
  const labelPath = join(out, `${symbol}.exchanges.csv`);
  for (const one of [path, labelPath]) await checkIsNew(one);
  const decimals =
    options.decimals ?? found.decimals ?? (await askDecimals(ask, "Decimals, which the files do not say"));
  const chain = options.chain ?? chainOf(inspections) ?? (await askChain(ask));
  const folder = resolve(dirname(path));
  const members = membersFor(inspections, ({ file }) => {
    const path = relative(folder, file.path);
    return isAbsolute(path) ? path : path.split(sep).join("/");
  })!;
  const asset = { symbol, name: symbol, chain, contract: found.contract, decimals };
  const largest = await largestSupply(asset, membersFor(inspections, ({ file }) => file.name)!, note);
  const maxSupply = options.maxSupply ?? (await askMaxSupply(ask, largest, decimals));
  const labels = members.exchanges ? undefined : await shippedFor(chain);
  if (labels) {
    await writeNew(labelPath, labels.csv);
    members.exchanges = basename(labelPath);
    note(`Exchanges are those of ${labels.version}, which ships with Soprano: ${labelPath}`);
  }
  const deposits = members.exchanges && { deposits: "detect" };
  await writeNew(path, `${JSON.stringify({ ...asset, maxSupply, ...deposits, ...members }, null, 2)}\n`);
  if (!members.prices)
    note("No prices: every amount in dollars will be 0. Name a file of prices as well, or later in ASSET.json.");
  if (!members.exchanges)
    note("No exchange is known: cex_* says nothing until ASSET.json names a list as exchanges. See docs/labels.md.");
  // What was written is what the other commands read.
  await readAsset(path);
  return path;
}

async function inspectAll(paths: readonly string[]): Promise<Inspection[]> {
  const files = await filesGiven(paths);
  const inspections = await withDatabase(1, async (connection) => {
    const found: Inspection[] = [];
    for (const file of files) found.push(await inspectFile(connection, file));
    return found;
  });
  for (const { file, role, what, rows, problems } of inspections) {
    if (role === "addresses") {
      throw new Failure(
        `${file.name} is a list of addresses; name it in ASSET.json yourself, as contracts or as a cohort.`,
      );
    }
    if (rows === undefined) throw new Failure(`${file.name} is ${what}. ${problems.join(" ")}`);
  }
  if (!inspections.some(({ role }) => role === "transfers")) {
    throw new Failure(
      "None of the files has transfers; name one with --from, and look at the others with soprano inspect.",
    );
  }
  const untimed = inspections.find(({ isUntimed }) => isUntimed);
  if (untimed && !inspections.some(({ role }) => role === "blocks")) {
    throw new Failure(`${untimed.file.name} has no times; name the files of its blocks with --from, too.`);
  }
  return inspections;
}

/** The contract that is meant, and what the files say of it. */
function contractOf(inspections: readonly Inspection[], given: string | undefined): ContractRows {
  const transfers = inspections.filter(({ role }) => role === "transfers");
  const all = transfers.flatMap(({ contracts }) => contracts);
  const known = [...new Set(all.map(({ contract }) => contract))];
  const contract = given ?? known[0];
  if (
    contract === undefined ||
    (given === undefined && (known.length > 1 || transfers.some(({ contractCount }) => contractCount > 1)))
  ) {
    const most = all.toSorted((a, b) => b.rows - a.rows).slice(0, 5);
    const list = most.map(
      ({ contract, rows, symbol }) => `${contract} (${symbol ? `${symbol}, ` : ""}${counted(rows, "row")})`,
    );
    const what =
      list.length === 0
        ? "The files don't say whose transfers they are"
        : `The files have transfers of several tokens: ${list.join(", ")}`;
    throw new Failure(`${what}. Name the contract with --contract 0x….`);
  }
  const own = all.filter((rows) => rows.contract === contract);
  return (
    own.find(({ symbol, decimals }) => symbol !== undefined || decimals !== undefined) ??
    own[0] ?? { contract, rows: 0 }
  );
}

/** The chain that rows name; an id before a name. */
function chainOf(inspections: readonly Inspection[]): string | undefined {
  const chains = new Set(
    inspections
      .flatMap(({ chains }) => chains)
      .map((text) => (/^\d+$/.test(text) ? chainName(Number(text)) : text.toLowerCase())),
  );
  return chains.size === 1 ? [...chains][0] : undefined;
}

const askChain = (ask: InitFromOptions["ask"]): Promise<string> =>
  ask({ text: "Chain, as it is shown", proposal: "ethereum", option: "--chain", parse: (text) => text });

/** The labels of exchanges that ship for a chain, by its name; undefined if there are none. */
async function shippedFor(name: string): Promise<{ version: string; csv: string } | undefined> {
  const [id] = [...SHIPPED_LABELS].find(([, { chain }]) => chain === name) ?? [];
  return id === undefined ? undefined : readShippedLabels(id);
}

/**
 * Reads the files as a build does, so that what a build would refuse is refused before ASSET.json is written.
 *
 * @param members the files, from where the command is run
 * @returns the largest supply of the history, in raw units
 */
async function largestSupply(
  given: Omit<AssetFile, "path" | "transfers" | "resolutions" | "maxSupply">,
  members: Members,
  note: InitOptions["note"],
): Promise<bigint> {
  const lists = Object.fromEntries(Object.entries(members).map(([role, files]) => [role, [files].flat()]));
  const path = resolve(`${given.symbol}.json`);
  const asset = { ...given, path, transfers: [], ...lists, maxSupply: "1", resolutions: [...V1_RESOLUTIONS] };
  const { rows, blocks, times, largestSupply } = await readWhole(asset);
  if (!blocks || !times) {
    throw new Failure(`The files have no transfers of contract ${given.contract}; correct --contract.`);
  }
  const [first, last] = blocks.map(count);
  const [from, to] = times.map(isoTime);
  note(`${counted(rows, "transfer")}, blocks ${first} to ${last}, ${from} to ${to}`);
  if (largestSupply === 0n) {
    throw new Failure(
      "No transfer comes from the zero address, so nobody has anything to send: the history does not begin with the first mint. Export it from the contract's creation on.",
    );
  }
  return largestSupply;
}
