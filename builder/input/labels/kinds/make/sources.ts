/** Reads the sources of the lists of kinds, and makes the list of each chain. */

import { glob, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import * as v from "valibot";
import { Failure } from "../../../../lib/failure.ts";
import { formatKinds } from "../../shipped-kinds.ts";
import { type BookFile, type Edition, fromAave, fromBeefy } from "./address-books.ts";
import { fromEtherscan, parseEtherscan } from "./etherscan-rows.ts";
import { CHAIN_NAMES, type Found, type KindChain } from "./found.ts";
import { type Ambiguous, chainList } from "./lists.ts";

/** Where the sources lie: the unpacked folders `package` of two npm packages, and the path of a CSV. */
export interface SourcePaths {
  aave: string;
  beefy: string;
  etherscan: string;
}

export interface MadeList {
  chain: KindChain;
  csv: string;
  rows: Found[];
  ambiguous: Ambiguous[];
}

/** The address books, and when the versions that the lists are made of were published on npm. Packages don't say. */
const BOOKS = {
  aave: {
    name: "@bgd-labs/aave-address-book",
    files: "src/*.sol",
    published: { "4.44.22": "2026-03-22" },
  },
  beefy: {
    name: "@beefyfinance/blockchain-addressbook",
    files: "dist/address-book/*/platforms/*.js",
    published: { "0.59.18": "2026-09-22" },
  },
} satisfies Record<string, { name: string; files: string; published: Record<string, string> }>;

type Book = (typeof BOOKS)[keyof typeof BOOKS];

/**
 * Makes the lists of all chains.
 *
 * @throws {Failure} a source is another package or version, is under another licence, or can't be read
 */
export async function makeLists({ aave, beefy, etherscan }: SourcePaths): Promise<MadeList[]> {
  const labels = await readText(etherscan);
  // The first that names an address names it: protocols know their own contracts best.
  const found = [
    ...fromAave(...(await readBook(aave, BOOKS.aave))),
    ...fromBeefy(...(await readBook(beefy, BOOKS.beefy))),
    ...fromEtherscan(parseEtherscan(etherscan, labels)),
  ];
  return CHAIN_NAMES.map((chain) => {
    const { rows, ambiguous } = chainList(chain, found);
    return { chain, rows, ambiguous, csv: formatKinds(rows) };
  });
}

const manifest = v.object({ name: v.string(), version: v.string(), license: v.string() });

async function readBook(folder: string, book: Book): Promise<[BookFile[], Edition]> {
  const path = join(folder, "package.json");
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), manifest), await readText(path));
  if (!parsed.success || parsed.output.name !== book.name) {
    throw new Failure(`${path} is not that of ${book.name}: unpack what npm pack ${book.name} brings.`);
  }
  const { name, version, license } = parsed.output;
  if (license !== "MIT") throw new Failure(`${path}: the licence of ${name} ${version} is ${license}, not MIT.`);
  const date = Object.entries(book.published).find(([known]) => known === version)?.[1];
  if (date === undefined) {
    throw new Failure(
      `${path}: the lists are made of ${name} ${Object.keys(book.published).join(" or ")}, not of ${version}. ` +
        "To take a newer one, add its version and date in sources.ts.",
    );
  }
  const files: BookFile[] = [];
  for await (const file of glob(book.files, { cwd: folder })) {
    files.push({ path: file.split(sep).join("/"), text: await readText(join(folder, file)) });
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return [files, { source: `${name.slice(name.indexOf("/") + 1)}@${version}`, date }];
}

const readText = (path: string) =>
  readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${path} can't be read (${error.code}); see --help.`);
  });
