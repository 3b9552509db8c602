import { Console } from "node:console";
import { type Command, InvalidArgumentError } from "commander";
import { MAX_DECIMALS } from "../../data-schema/asset.ts";
import { PRICE_FORMS } from "../input/asset/source.ts";
import { command } from "../lib/advised.ts";
import { ESCAPES } from "../lib/escapes.ts";
import {
  contractAddress,
  folder,
  type Globals,
  type Io,
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
}

export function addInit(program: Command, io: Io): void {
  const { log, error } = new Console(io);
  rpcOption(program.command("init"))
    .description("write the ASSET.json of a token on a chain")
    .argument("<contract>", "the token's address", contractAddress)
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
    .action(async (address: string, { rpc, yes = false, ...flags }: InitFlags) => {
      const { quiet = false } = program.opts<Globals>();
      // Imported here because it takes a while to load.
      const { asker } = await import("../fetch/init/prompt.ts");
      const { init, parseMaxSupply } = await import("../fetch/init/init.ts");
      const { parseKinds } = await import("../fetch/init/choices/kinds.ts");
      const { maxSupply, cohorts, ...others } = flags;
      const { ask, close } = asker({ input: io.stdin, output: io.stderr, yes });
      try {
        const path = await init({
          ...others,
          ...(cohorts !== undefined && { cohorts: parseKinds(cohorts) }),
          ...(maxSupply !== undefined && { maxSupply: parseMaxSupply(maxSupply) }),
          address,
          urls: rpcUrls(rpc, io.env),
          headers: rpcHeaders(io.env),
          ask,
          note(line) {
            if (!quiet) error(ESCAPES.terminal(line));
          },
        });
        log(path);
        if (!quiet) error(`Next: npx ${command("fetch", path)}, then npx ${command("build", path)}`);
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
