/** The script as a process, on a handful of facts. */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratchFolder } from "../../../folders.ts";

const SCRIPT = join(import.meta.dirname, "../../../../builder/fetch/labels/make/make.ts");
const address = (digit: string) => `0x${digit.repeat(40)}`;

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

const FACTS = {
  "exchanges.csv": ["address,exchange,source", `${address("a")},okx,eth-labels`, `${address("b")},htx,spellbook`],
  "exchanges-by-chain.csv": [
    "chain,address,name,source,date",
    `ethereum,${address("a")},okcoin,defillama-adapters,2026-08-22`,
    `ethereum,${address("b")},Huobi 3,etherscan-labels:huobi,2023-10-02`,
    `base,${address("c")},nexo-cex,defillama-adapters,2026-08-22`,
    `base,${address("d")},gate-io,defillama-adapters,2026-08-22`,
    `base,${address("e")},kucoin,defillama-adapters,2026-08-22`,
  ],
  "contract-kinds.csv": [
    "chain,address,kind,name,source,date",
    `base,${address("e")},bridge,Bridge,etherscan-labels:bridge,2023-10-02`,
  ],
};

it("maps names, leaves out what is ruled out or contradicted, and says so", () => {
  const [facts, out] = [scratchFolder(), scratchFolder()];
  for (const [file, lines] of Object.entries(FACTS)) writeFileSync(join(facts, file), `${lines.join("\n")}\n`);
  expect(run(facts, out)).toEqual({
    status: 0,
    stdout: "exchanges/base.csv\nexchanges/ethereum.csv\nleft-out.csv\n",
    stderr: "",
  });
  expect(readdirSync(out).sort()).toEqual(["exchanges", "left-out.csv"]);
  expect(readFileSync(join(out, "exchanges/base.csv"), "utf8")).toBe(
    `address,exchange,name,source,date\n${address("d")},gate.io,gate-io,defillama-adapters,2026-08-22\n`,
  );
  expect(readFileSync(join(out, "exchanges/ethereum.csv"), "utf8")).toBe(
    `address,exchange,name,source,date\n${address("b")},htx,Huobi 3,etherscan-labels+spellbook,2023-10-02+2023-05-30\n`,
  );
  expect(readFileSync(join(out, "left-out.csv"), "utf8").split("\n")).toEqual([
    "chain,address,why,said",
    `base,${address("c")},lender,nexo-cex (defillama-adapters)`,
    `base,${address("e")},contradicted,kucoin (defillama-adapters); Bridge (bridge)`,
    `ethereum,${address("a")},contradicted,okcoin (defillama-adapters); okx (eth-labels)`,
    "",
  ]);
});

it("refuses in a sentence", () => {
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringMatching(/^Name the folder of the facts: /) });
  expect(run(scratchFolder())).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/exchanges\.csv can't be read/),
  });
});
