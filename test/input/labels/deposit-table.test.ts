import { join } from "node:path";
import { expect, it } from "vitest";
import { DEPOSIT_ADDRESS, FIRST_EXCHANGE } from "../../../builder/engine/classification.ts";
import {
  countByExchange,
  formatDeposits,
  readDepositAddresses,
  readSends,
} from "../../../builder/input/labels/deposit-table.ts";
import { ALICE, BOB, CAROL, csv, Folder } from "../folder.ts";

const row = (sent: bigint) => ({ address: ALICE, group: FIRST_EXCHANGE, since: 1_600_000_000, sends: 2, sent });
const tokens = (sent: bigint, decimals: number) =>
  formatDeposits([row(sent)], decimals)
    .trim()
    .split("\n")[1]!
    .split(",")
    .at(-1);

it("writes whole tokens exactly, without an exponent", () => {
  expect(formatDeposits([row(1_500_000n)], 6)).toBe(
    `address,exchange,since,sends,tokens\n${ALICE},other,2020-09-13T12:26:40Z,2,1.5\n`,
  );
  expect(tokens(1n, 18)).toBe("0.000000000000000001");
  expect(tokens(10n ** 20n, 18)).toBe("100");
  expect(tokens(100n, 0)).toBe("100");
  expect(tokens(2n ** 256n, 77)).toBe(`1.${String(2n ** 256n).slice(1)}`);
  expect(formatDeposits([], 18)).toBe("address,exchange,since,sends,tokens\n");
});

it("reads addresses in order, and sends where a file says them", async () => {
  const folder = new Folder()
    .write("full.csv", csv("address,exchange,sends", `${CAROL},ftx,2`, `${BOB},okx,5`, `${ALICE},ftx,1`))
    .write("short.csv", csv("address,exchange", `${BOB},ftx`));
  const file = (name: string) => ({ name, path: join(folder.path, name), bytes: 1 });
  expect(Buffer.from(await readDepositAddresses(file("full.csv"))).toString("hex")).toBe(
    [ALICE, BOB, CAROL].map((address) => address.slice(2)).join(""),
  );
  expect(await readSends(file("full.csv"))).toEqual({ ftx: 3, okx: 5 });
  expect(await readSends(file("short.csv"))).toBeUndefined();
});

it("counts deposit addresses by the names of exchanges", () => {
  const [other, ascendex] = [FIRST_EXCHANGE, FIRST_EXCHANGE + 1].map((group) => group | DEPOSIT_ADDRESS);
  expect(countByExchange(Uint8Array.of(0, 1, other!, FIRST_EXCHANGE, ascendex!, other!))).toEqual({
    other: 2,
    ascendex: 1,
  });
});
