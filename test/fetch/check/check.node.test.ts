/** The check against a real node and real contracts. */

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { readTransferLogs, rowsOf } from "../../../builder/fetch/check/causes/subject.ts";
import { checkEarly } from "../../../builder/fetch/check/early.ts";
import { checkAndMend } from "../../../builder/fetch/check/mend.ts";
import type { EventSource } from "../../../builder/fetch/transfers/decode-logs.ts";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { type Anvil, hasAnvil, openAnvil } from "../chain/anvil.ts";
import { type ContractName, creation, encode } from "../chain/contracts.ts";
import { type ProxyOptions, startProxy } from "../chain/proxy.ts";
import { address, columnsOf, type Row, ZERO } from "./transfers.ts";

const user = (number: number) => address(0xabc000 + number);

describe.runIf(hasAnvil)("the check against anvil", () => {
  let anvil: Anvil;
  const tokens = {} as Record<ContractName, string>;
  let first: number;

  const call = (name: ContractName, from: string, method: string, ...args: unknown[]) =>
    anvil.send({ from, to: tokens[name]!, data: encode(name, method, ...args) });

  beforeAll(async () => {
    anvil = await openAnvil();
    const [owner] = anvil.accounts as [string];
    const deploy = async (name: ContractName, ...args: unknown[]) => {
      tokens[name] = await anvil.deploy(creation(name, ...args));
    };
    await deploy("WETH9");
    await deploy("Token", "Token", "TKN", 18);
    await deploy("FeeToken");
    await deploy("RebasingToken");
    await deploy("PlainEventToken");
    await deploy("RevertingToken");
    await deploy("IssueRedeemToken", 1_000_000n);
    await deploy("QuietMintToken", 5_000n);
    first = await anvil.mine();
    const minted: ContractName[] = ["Token", "FeeToken", "RebasingToken", "PlainEventToken", "RevertingToken"];
    for (const name of minted) await call(name, owner, "mint", user(0), 1_000_000n);
    await anvil.send({ to: tokens.WETH9, data: encode("WETH9", "deposit"), value: 1_000_000n });
    await call("WETH9", owner, "transfer", user(0), 900_000n);
    await call("IssueRedeemToken", owner, "transfer", user(0), 500_000n);
    await anvil.mine();
    for (let n = 1; n <= 60; n++) {
      for (const name of [...minted, "WETH9", "IssueRedeemToken"] as const) {
        await call(name, user(0), "transfer", user(1 + (n % 25)), BigInt(n * 100));
      }
      if (n === 30) {
        await call("IssueRedeemToken", owner, "issue", 777n);
        await call("IssueRedeemToken", owner, "redeem", 77n);
        await call("Token", user(0), "transfer", ZERO, 12_345n);
        await call("WETH9", user(0), "withdraw", 4_000n);
      }
      if (n === 40) await call("RebasingToken", owner, "rebase", 101n);
      await anvil.mine();
    }
    await call("RevertingToken", owner, "block_", user(3));
    await anvil.rpc("anvil_setBalance", tokens.WETH9, "0xfffffff");
    await anvil.mine(undefined, 5);
  });
  afterAll(() => anvil.stop());

  /** Fetches from the first of some proxies, and what the check needs. */
  async function subjectOf(events: Partial<EventSource> & { name: ContractName }, ...proxies: ProxyOptions[]) {
    const opened = [];
    for (const options of proxies.length > 0 ? proxies : [{}]) opened.push(await startProxy(anvil.url, options));
    const nodes = await openNodes(
      opened.map(({ url }) => url),
      { requestsPerSecond: 10_000 },
    );
    onTestFinished(() => nodes.close());
    const source: EventSource = { events: "erc20", ...events, contract: tokens[events.name]! };
    const range = { from: first, to: (await anvil.head()) - 10 };
    let columns = await readTransferLogs({ nodes, source }, [range], { of: [0] });
    const replaced: number[] = [];
    const opening: Row[] = [];
    const options = {
      nodes,
      source,
      range,
      limit: 1_000_000,
      newFrom: first,
      files: [],
      repair: false,
      progress: silentProgress(),
      async *transfers() {
        yield columnsOf(opening);
        yield* columns;
      },
      async replacePages(_: unknown, of: readonly number[]) {
        replaced.push(...of);
        columns = await readTransferLogs({ nodes, source }, [range], { of });
      },
      async replaceFile() {},
    };
    return { options, replaced, opening };
  }

  it.each(["Token", "PlainEventToken", "QuietMintToken"] as const)("passes %s, or says what lacks", async (name) => {
    const { options } = await subjectOf({ name });
    const { check, notices } = await checkAndMend(options);
    expect(check).toMatchObject({ status: name === "QuietMintToken" ? "failed" : "passed" });
    if (name === "Token") {
      expect(notices).toEqual([
        "totalSupply counts 12345 units at the zero address; the supply by transfers does not.",
      ]);
    }
    if (name === "QuietMintToken")
      expect(check.problems).toEqual([
        expect.stringMatching(/^The supply differs from block \d+ on, the first one: .* "openingBalances" names/),
        "The supply is 0 by the transfers, but totalSupply is 5000.",
      ]);
  });

  it("passes WETH9 with ether that was forced into it", async () => {
    const { options } = await subjectOf({ name: "WETH9", events: "weth9" });
    const { check, notices } = await checkAndMend(options);
    expect(check.problems).toBeUndefined();
    expect(notices).toEqual([
      expect.stringMatching(/^totalSupply is \d+ units more than the tokens: ether without a deposit\.$/),
    ]);
  });

  it("passes Tether's way with its opening balances, and asks for them without", async () => {
    const owners = [{ fromBlock: 1, address: anvil.accounts[0]!.toLowerCase() }];
    const kind = { name: "IssueRedeemToken", events: "issue-redeem", owners } as const;
    const lacking = await subjectOf(kind);
    const { check } = await checkAndMend(lacking.options);
    expect(check.problems![0]).toMatch(/differs from block \d+ on, the first one: .* "openingBalances" names/);
    expect(check.problems!.join("\n")).toContain("sends 500000 but has only 0 by its transfers");

    const whole = await subjectOf(kind);
    whole.opening.push({ block: first - 1, logIndex: 0, from: ZERO, to: owners[0]!.address, value: 1_000_000n });
    expect((await checkAndMend(whole.options)).check.problems).toBeUndefined();
  });

  it("leaves out a holder whose balanceOf fails, and says so", async () => {
    const { options } = await subjectOf({ name: "RevertingToken" });
    const { check, notices } = await checkAndMend(options);
    expect([check.status, check.of - check.holders]).toEqual(["passed", 1]);
    expect(notices[0]).toContain(`balanceOf fails for ${user(3)} on the chain`);
  });

  it.each([
    ["FeeToken", /receivers get less than the event says in a fee-on-transfer token/],
    ["RebasingToken", /balances change without transfers in a rebasing token/],
  ] as const)("refuses %s, also after its first pages", async (name, sentence) => {
    const { options } = await subjectOf({ name });
    const { check } = await checkAndMend(options);
    expect(check.problems![0]).toMatch(sentence);
    await expect(checkEarly(options)).rejects.toThrow(sentence);
  });

  describe.each([
    ["with all states", {}],
    ["without old states", { states: 8 }],
  ] as const)("a log that one of two nodes leaves out, %s", (_, memory) => {
    it.each([
      ["Token", "erc20"],
      ["PlainEventToken", "erc20"],
      ["WETH9", "weth9"],
      ["IssueRedeemToken", "issue-redeem"],
    ] as const)("is found and mended: %s", async (name, events) => {
      const owners = [{ fromBlock: 1, address: anvil.accounts[0]!.toLowerCase() }];
      let seen = 0;
      let omitted = "";
      const omits = ({
        address,
        blockNumber,
        logIndex,
      }: {
        address: string;
        blockNumber: string;
        logIndex: string;
      }) => {
        if (address.toLowerCase() !== tokens[name]) return false;
        if (!omitted && ++seen === 20) omitted = `${blockNumber} ${logIndex}`;
        return `${blockNumber} ${logIndex}` === omitted;
      };
      const { options, replaced, opening } = await subjectOf({ name, events, owners }, { ...memory, omits }, memory);
      if (events === "issue-redeem") {
        opening.push({ block: first - 1, logIndex: 0, from: ZERO, to: owners[0]!.address, value: 1_000_000n });
      }
      const { check, notices } = await checkAndMend(options);
      expect(check.problems).toBeUndefined();
      expect(replaced).toEqual([1]);
      const { hosts } = options.nodes;
      const block = Number(omitted.split(" ")[0]);
      expect(notices).toContain(`Block ${block}: ${hosts[0]} left out 1 transfer. Fetched again from ${hosts[1]}.`);
      const rows = [];
      for await (const columns of options.transfers()) rows.push(...rowsOf(columns));
      expect(rows.filter((row) => row.block === block)).not.toEqual([]);
    });
  });
});
