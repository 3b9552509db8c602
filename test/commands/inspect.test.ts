/** `soprano inspect` and `soprano init --from`, over the twenty rows of each form. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { readShippedLabels } from "../../builder/fetch/labels/shipped.ts";
import { OTHER_TOKEN, TOKEN, ZERO } from "../input/folder.ts";
import { soprano } from "./soprano.ts";

const FILES = fileURLToPath(new URL("../input/shapes/files", import.meta.url));
const file = (name: string) => join(FILES, name);
const folder = mkdtempSync(join(tmpdir(), "soprano-inspect-"));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const inspected = async (...paths: string[]) => {
  const { status, stdout, stderr } = await soprano("inspect", ...paths);
  const short = (text: string) => text.replaceAll(`${FILES}/`, "").replaceAll(`${folder}/`, "");
  return { status, lines: short(stdout).trimEnd().split("\n"), stderr: short(stderr) };
};

describe("inspect", () => {
  test("says the shape, what each column becomes, what is in the file, and what to write", async () => {
    expect(
      await inspected(file("blockscout.json"), file("prices/yahoo.csv"), file("labels/etherscan-labels.csv")),
    ).toEqual({
      status: 0,
      stderr: "",
      lines: [
        "blockscout.json: transfers, token transfers of Blockscout's API",
        "  block_number       → block_number",
        "  log_index          → log_index",
        "  timestamp          → block_timestamp",
        "  token.address_hash → token_address",
        "  from.hash          → from_address",
        "  to.hash            → to_address",
        "  total.value        → value",
        "  transaction_hash   → transaction_hash",
        "  20 rows, blocks 18,900,000 to 18,906,300, 2024-01-01T00:00:00Z to 2024-01-03T15:00:00Z",
        `  contract ${TOKEN}: 20 rows (TST, 18 decimals)`,
        "prices/yahoo.csv: prices, prices of Yahoo Finance",
        "  Date  → timestamp",
        "  Close → price_usd",
        "  20 rows, which count from 2024-01-01T00:00:00Z to 2024-01-20T00:00:00Z",
        "labels/etherscan-labels.csv: labels of exchanges, labels of etherscan-labels",
        "  address → address",
        "  label   → exchange",
        "  20 rows",
        "  3 of its rows mean no exchange, and are left out.",
        "In ASSET.json, beside these files:",
        '  "transfers": "blockscout.json",',
        '  "prices": "prices/yahoo.csv",',
        '  "exchanges": "labels/etherscan-labels.csv"',
      ],
    });
  });

  test("says what is missing", async () => {
    const { lines } = await inspected(file("cryo.csv"), write("blocks.csv", "number,timestamp\n1,2\n3,4\n"));
    expect(lines).toContain('  It has no times: name files of blocks under the key "blocks".');
    expect(lines).toContain("blocks.csv: blocks, times of blocks");
    expect(lines.slice(-2)).toEqual(['  "transfers": "cryo.csv",', '  "blocks": "blocks.csv"']);
  });

  test("says why a file can't be read, and fails", async () => {
    const { status, lines, stderr } = await inspected(
      write("a.csv", "Transaction Hash,Blockno,DateTime (UTC),From,To,Quantity\n"),
      write("b.csv", "x,y\n1,2\n"),
      write("c.json", "{}}"),
    );
    expect(status).toBe(1);
    expect(lines[2]).toMatch(
      /^ {2}It can't be read: it is a CSV of Etherscan's token transfers, which lacks the log index/,
    );
    expect(lines.at(-1)).toMatch(
      /^ {2}As transfers, b\.csv lacks columns: a block number \(block_number\), .* It has: x, y\.$/,
    );
    expect(stderr).toMatch(/^c\.json.*\nsoprano: 3 of 3 files can't be read; the lines above say why\.\n$/);
    expect((await soprano("inspect", "nothing.csv")).stderr).toBe(
      "soprano: nothing.csv does not exist; correct the path.\n",
    );
  });
});

const initFrom = async (...args: string[]) => soprano("init", "--out", folder, ...args);

describe("init --from", () => {
  test("writes an ASSET.json that builds", async () => {
    const files = [file("blockscout.json"), file("prices/coingecko.json"), file("labels/dune-cex.csv")];
    const { status, stdout, stderr } = await initFrom("--yes", "--from", ...files);
    expect([status, stdout]).toEqual([0, `${folder}/TST.json\n`]);
    expect(stderr).toContain(
      "20 transfers, blocks 18,900,000 to 18,906,300, 2024-01-01T00:00:00Z to 2024-01-03T15:00:00Z\n",
    );
    expect(stderr).toContain(`Next: npx soprano build ${folder}/TST.json, then npx soprano serve\n`);
    const asset = JSON.parse(readFileSync(join(folder, "TST.json"), "utf8"));
    expect(asset).toMatchObject({
      symbol: "TST",
      name: "TST",
      chain: "ethereum",
      contract: TOKEN,
      decimals: 18,
      maxSupply: "1000000",
    });
    expect(asset.prices).toMatch(/^\.\.\/.*prices\/coingecko\.json$/);
    const built = await soprano(
      "build",
      join(folder, "TST.json"),
      "--persist",
      join(folder, "state"),
      "--as-of",
      "2024-01-02",
    );
    expect(built.stderr).not.toContain("failed");
    expect(built.status).toBe(0);
  });

  test("asks for what the files don't say", async () => {
    const dune = file("dune-evt.csv");
    expect((await initFrom("--from", dune)).stderr).toContain("soprano: Symbol? Answer with --symbol.\n");
    expect((await initFrom("--from", dune, "--symbol", "EVT")).stderr).toContain(
      "Decimals, which the files do not say? Answer with --decimals.",
    );
    const given = ["--symbol", "EVT", "--decimals", "18"];
    expect((await initFrom("--from", dune, ...given)).stderr).toContain(
      "Chain, as it is shown? Answer with --chain, or accept ethereum with --yes.",
    );
    expect((await initFrom("--from", dune, ...given, "--chain", "base")).stderr).toContain(
      "Maximum supply in whole tokens? Answer with --max-supply N, or accept 1000000 with --yes.",
    );
    expect((await initFrom("--from", dune, ...given, "--chain", "base", "--max-supply", "2000000")).status).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, "EVT.json"), "utf8"))).toMatchObject({
      chain: "base",
      maxSupply: "2000000",
      deposits: "detect",
      exchanges: "EVT.exchanges.csv",
    });
    expect(readFileSync(join(folder, "EVT.exchanges.csv"), "utf8")).toBe((await readShippedLabels(8453)).csv);
  });

  test("exchanges are the files', or those that ship for the chain, or none", async () => {
    const given = ["--from", file("dune-evt.csv"), "--decimals", "18", "--yes"];
    const none = await initFrom(...given, "--symbol", "NONE", "--chain", "a chain");
    expect(none.stderr).toContain("No exchange is known");
    const asset = JSON.parse(readFileSync(join(folder, "NONE.json"), "utf8"));
    expect([asset.exchanges, asset.deposits]).toEqual([undefined, undefined]);
    const own = await initFrom(...given, file("labels/dune-cex.csv"), "--symbol", "OWN");
    expect(own.stderr).not.toContain("ships with Soprano");
    expect(existsSync(join(folder, "OWN.exchanges.csv"))).toBe(false);
  });

  test("a history without its first mint is refused", async () => {
    const [header, , ...rows] = readFileSync(file("dune-evt.csv"), "utf8").trimEnd().split("\n");
    const late = write("late.csv", `${[header, ...rows.filter((row) => !row.includes(ZERO))].join("\n")}\n`);
    const { status, stderr } = await initFrom("--yes", "--from", late, "--symbol", "LATE", "--decimals", "18");
    expect(status).toBe(1);
    expect(stderr).toContain("soprano: No transfer comes from the zero address, so nobody has anything to send");
    expect(existsSync(join(folder, "LATE.json"))).toBe(false);
  });

  test("refuses what is unclear", async () => {
    const two = `${readFileSync(file("dune-evt.csv"), "utf8").trimEnd()}\n${readFileSync(file("dune-evt.csv"), "utf8").split("\n")[1]!.replace(TOKEN, OTHER_TOKEN)}\n`;
    const both = write("two.csv", two);
    expect((await initFrom("--from", both)).stderr).toContain(
      `soprano: The files have transfers of several tokens: ${TOKEN} (20 rows), ${OTHER_TOKEN} (1 row). Name the contract with --contract 0x….\n`,
    );
    const other = await initFrom(
      "--yes",
      "--symbol",
      "TWO",
      "--decimals",
      "0",
      "--contract",
      OTHER_TOKEN,
      "--from",
      both,
    );
    expect(other.stderr).toContain(`Contract ${OTHER_TOKEN}\n1 transfer, `);
    expect((await initFrom("--from", file("prices/yahoo.csv"))).stderr).toContain("None of the files has transfers;");
    expect((await initFrom("--from", file("cryo.csv"))).stderr).toContain(
      "has no times; name the files of its blocks with --from, too.",
    );
    expect((await initFrom()).stderr).toBe(
      "soprano: Name the token's address, to read a chain, or files with --from.\n",
    );
  });
});
