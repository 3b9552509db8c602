/** Compiles the contracts: `npx node test/fetch/chain/contracts/compile.ts` writes compiled.json. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = new URL("./", import.meta.url);

/** Creation code and ABI of each contract that can be deployed, by name. */
export type Compiled = Record<string, { creation: string; abi: unknown[] }>;

interface Output {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, { abi: unknown[]; evm: { bytecode: { object: string } } }>>;
}

/** @throws {Error} what the compiler says of the sources, warnings too */
export async function compile(): Promise<Compiled> {
  // 9 MB of JavaScript.
  const { default: solc } = await import("solc");
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".sol"));
  const sources = files.sort().map((file) => [file, { content: readFileSync(new URL(file, FOLDER), "utf8") }]);
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(sources),
    settings: {
      optimizer: { enabled: true },
      // Comments don't change the code.
      metadata: { appendCBOR: false, bytecodeHash: "none" },
      evmVersion: "shanghai",
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const { errors, contracts }: Output = JSON.parse(solc.compile(JSON.stringify(input)));
  if (errors?.length) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  const compiled = Object.values(contracts).flatMap((file) =>
    Object.entries(file).map(([name, { abi, evm }]) => [name, { creation: `0x${evm.bytecode.object}`, abi }] as const),
  );
  return Object.fromEntries(compiled.filter(([, { creation }]) => creation !== "0x"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const compiled = await compile();
  writeFileSync(new URL("compiled.json", FOLDER), `${JSON.stringify(compiled, undefined, 2)}\n`);
  console.log(`${Object.keys(compiled).length} contracts`);
}
