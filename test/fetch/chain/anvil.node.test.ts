import { describe, expect, it } from "vitest";
import { GENESIS, hasAnvil, rpc, startAnvil } from "./anvil.ts";

describe.runIf(hasAnvil)("a chain of anvil", () => {
  it("mines only when asked, at the times it is told", async () => {
    const anvil = await startAnvil({ chainId: 10, timestamp: GENESIS });
    expect(await anvil.rpc("eth_chainId")).toBe("0xa");
    expect(await anvil.mine(GENESIS + 86_400)).toBe(1);
    expect(await anvil.mine(GENESIS + 2 * 86_400, 3, 60)).toBe(2);
    const times = await Promise.all(
      [0, 1, 2, 3, 4].map(async (n) =>
        Number(((await anvil.rpc("eth_getBlockByNumber", `0x${n}`, false)) as { timestamp: string }).timestamp),
      ),
    );
    expect(times.map((t) => t - GENESIS)).toEqual([0, 86_400, 172_800, 172_860, 172_920]);
    const { number } = (await anvil.rpc("eth_getBlockByNumber", "finalized", false)) as { number: string };
    expect(Number(number)).toBe(2);
  });

  it("carries out what was sent in its order, from any address", async () => {
    const anvil = await startAnvil();
    const [a, b] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`];
    await anvil.rpc("anvil_setBalance", a, "0x3");
    await anvil.sendAll([
      { to: a, value: 5n },
      { from: a, to: b, value: 3n },
    ]);
    await anvil.mine();
    expect(await anvil.rpc("eth_getBalance", a, "latest")).toBe("0x5");
    expect(await rpc(anvil.url, "eth_getBalance", b, "latest")).toBe("0x3");
  });
});
