/**
 * Makes the lists of kinds of contracts from the files of their sources: `npm run make:kinds -- --help`.
 * Source: docs/contract-kinds.md#making-the-lists-again.
 */

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { KIND_NAMES } from "../../../../../data-schema/registry.ts";
import { Failure } from "../../../../lib/failure.ts";
import { makeLists } from "./sources.ts";

const USAGE = `Usage: npm run make:kinds -- --aave DIR --beefy DIR --etherscan FILE [--out DIR]

  --aave       the folder "package" of @bgd-labs/aave-address-book, as npm pack has packed it
  --beefy      the folder "package" of @beefyfinance/blockchain-addressbook
  --etherscan  a CSV of Etherscan's labels: chain,address,kind,name,source,date
  --out        where the lists go; default: where they ship from`;

const { values } = parseArgs({
  options: {
    aave: { type: "string" },
    beefy: { type: "string" },
    etherscan: { type: "string" },
    out: { type: "string", default: dirname(dirname(fileURLToPath(import.meta.url))) },
    help: { type: "boolean" },
  },
});
const { aave, beefy, etherscan, out } = values;

if (values.help) {
  console.log(USAGE);
} else if (aave === undefined || beefy === undefined || etherscan === undefined) {
  console.error(`--aave, --beefy and --etherscan are all needed.\n\n${USAGE}`);
  process.exitCode = 1;
} else {
  try {
    const lists = await makeLists({ aave, beefy, etherscan });
    console.log(["chain", ...KIND_NAMES, "ambiguous"].join("\t"));
    for (const { chain, csv, rows, ambiguous } of lists) {
      const path = join(out, `${chain}.csv`);
      const before = await readFile(path, "utf8").catch(() => undefined);
      if (before !== csv) await writeFile(path, csv);
      const counts = KIND_NAMES.map((name) => rows.filter(({ kind }) => kind === name).length);
      console.log([chain, ...counts, ambiguous.length, before === csv ? "as before" : "written"].join("\t"));
      for (const { address, kinds, name } of ambiguous) console.error(`${chain} ${address} ${kinds.join("/")} ${name}`);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
