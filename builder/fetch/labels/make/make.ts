/** Makes the labels of exchanges that ship with Soprano from the facts that were gathered. Source: docs/labels.md#making-them-again. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "../../../lib/failure.ts";
import { readExchanges } from "../shipped.ts";
import { withCounts } from "./counts.ts";
import { parseByChain, parseEthereum, parseKindClaims } from "./gathered.ts";
import { labelFiles, mergeClaims } from "./merge.ts";

const LABELS = fileURLToPath(new URL("..", import.meta.url));
const DOCS = fileURLToPath(new URL("../../../../docs/labels.md", import.meta.url));

/**
 * @param folder of the facts
 * @param out where the files go instead of the project: then the counts of the documentation stay
 */
async function makeLabels(folder: string, out: string | undefined): Promise<void> {
  const read = (file: string) => {
    try {
      return readFileSync(join(folder, file), "utf8");
    } catch (error) {
      throw new Failure(
        `${join(folder, file)} can't be read: ${(error as Error).message}. It should have facts of the sources.`,
      );
    }
  };
  const claims = [...parseEthereum(read("exchanges.csv")), ...parseByChain(read("exchanges-by-chain.csv"))];
  for (const [file, text] of labelFiles(mergeClaims(claims, parseKindClaims(read("contract-kinds.csv"))))) {
    const path = join(out ?? LABELS, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(file);
  }
  if (out !== undefined) return;
  writeFileSync(DOCS, withCounts(readFileSync(DOCS, "utf8"), await readExchanges()));
  console.log("If a file has changed, give its chain a new version in shipped.ts, with the file's SHA-256.");
}

const [folder, out] = process.argv.slice(2);
try {
  if (folder === undefined)
    throw new Failure("Name the folder of the facts: node builder/fetch/labels/make/make.ts FOLDER [OUT]");
  await makeLabels(folder, out);
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
