import { Console } from "node:console";
import { type Command, InvalidArgumentError } from "commander";
import { MAX_DECIMALS } from "../../data-schema/asset.ts";
import { PRICE_FORMS } from "../input/asset/source.ts";
import { command } from "../lib/advised.ts";
import { ESCAPES } from "../lib/escapes.ts";
import { Failure } from "../lib/failure.ts";
import {
  contractAddress,
  folder,
  type Globals,
  type Io,
  label,
  rpcHeaders,
  rpcOption,
  rpcUrls,
  symbol,
  wholeNumber,
} from "./options.ts";

interface InitFlags {
  rpc?: string[];
  out: string;
  symbol?: string;
  decimals?: number;
  maxSupply?: string;
  firstBlock?: number;
  prices?: string;
  pools?: string[];
  quoteUsd?: Map<string, number>;
  cohorts?: string;
  confirmations?: number;
  yes?: boolean;
  from?: string[];
  contract?: string;
  chain?: string;
}

export function addInit(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  rpcOption(program.command("init"))
    .description("write the ASSET.json of a token on a chain, or of files that you have")
    .argument("[contract]", "the token's address", contractAddress)
    .option(
      "--from <files...>",
      "files to read instead of a chain: transfers, and prices, blocks or labels of exchanges",
    )
    .option("--contract <address>", "with --from: the token's address, if the files have several", contractAddress)
    .option("--chain <name>", "with --from: the chain, if the files do not say", label)
    .option("--out <dir>", "folder of the ASSET.json", folder, "assets")
    .option("--symbol <symbol>", "a symbol other than the contract's", symbol)
    .option("--decimals <n>", "decimals of a contract that does not say", wholeNumber(0, MAX_DECIMALS))
    .option("--max-supply <n>", "maximum supply in whole tokens; proposed from the total supply", (text) => text)
    .option("--first-block <n>", "block of the contract's creation, for a node without old states", wholeNumber(0))
    .option("--opening <file>", "a CSV, address and value in raw units, of balances that no event explains")
    .option("--prices <source>", PRICE_FORMS)
    .option("--pools <addresses>", "pools to price it by, separated by commas", addresses)
    .option(
      "--quote-usd <address=usd>",
      "what a pool's other token is worth, such as 0x…=1; separated by commas",
      worths,
    )
    .option("--cohorts <names>", "kinds of contracts that become cohorts, separated by commas, or none", (text) => text)
    .option("--confirmations <n>", "count a block as final once n blocks follow it", wholeNumber(1))
    .option("--yes", "accept every proposal")
    .action(async (given: string | undefined, { rpc, yes = false, from, contract, chain, ...flags }: InitFlags) => {
      const { quiet = false } = program.opts<Globals>();
      const address = given ?? contract;
      if (!from && address === undefined) {
        throw new Failure("Name the token's address, to read a chain, or files with --from.");
      }
      // Imported here because it takes a while to load.
      const { asker } = await import("../fetch/init/prompt.ts");
      const { init } = await import("../fetch/init/init.ts");
      const { parseMaxSupply } = await import("../fetch/init/choices/questions.ts");
      const { parseKinds } = await import("../fetch/init/choices/kinds.ts");
      const { maxSupply, cohorts, ...others } = flags;
      const { ask, close } = asker({ input: io.stdin, output: io.stderr, yes });
      const common = {
        ...others,
        ...(maxSupply !== undefined && { maxSupply: parseMaxSupply(maxSupply) }),
        ask,
        note(line: string) {
          if (!quiet) error(ESCAPES.terminal(line));
        },
      };
      try {
        if (from) {
          const { initFrom } = await import("../fetch/init/from-files/init-from.ts");
          const path = await initFrom({ ...common, from, contract: address, chain });
          log(path);
          if (!quiet) error(`Next: npx ${command("build", path)}, then npx ${command("serve")}`);
          return;
        }
        const path = await init({
          ...common,
          ...(cohorts !== undefined && { cohorts: parseKinds(cohorts) }),
          address: address!,
          urls: rpcUrls(rpc, io.env),
          headers: rpcHeaders(io.env),
        });
        log(path);
        if (!quiet) {
          error(`Next: npx ${command("fetch", path)}, npx ${command("build", path)}, then npx ${command("serve")}`);
        }
      } finally {
        close();
      }
    });
}

const addresses = (text: string): string[] => text.split(",").map((address) => contractAddress(address.trim()));

function worths(text: string): Map<string, number> {
  return new Map(
    text.split(",").map((one) => {
      const [address = "", usd = ""] = one.split("=").map((part) => part.trim());
      const worth = Number(usd);
      if (/^\d+(\.\d+)?$/.test(usd) && worth > 0) return [contractAddress(address), worth];
      throw new InvalidArgumentError("It is not an address, =, and a positive number of USD, such as 0x…=1.");
    }),
  );
}
