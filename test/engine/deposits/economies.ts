/** Random economies with exchanges whose customers have deposit addresses, and with addresses that come close to being one. */

import fc from "fast-check";
import { type Token, type Transfer, ZERO_ADDRESS } from "../../reference/reference.ts";

const named = (prefix: string) => (digit: number) => `0x${`${prefix}${digit}`.repeat(10)}${"0".repeat(20)}`;
const user = named("a");
const deposit = named("d");
const [HOT, SECOND_HOT, KRAKEN, OTHER, SECOND_OTHER, CONTRACT] = [1, 2, 3, 4, 5, 6].map(named("e")) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const USERS = [0, 1, 2].map(user);
const DEPOSITS = [0, 1, 2, 3, 4, 5].map(deposit);
const EXCHANGES = [HOT, SECOND_HOT, KRAKEN, OTHER, SECOND_OTHER];
const ALL = [...USERS, ...DEPOSITS, ...EXCHANGES, CONTRACT];

const DAY = 86_400;

const step = fc.record({
  wait: fc.constantFrom(0, 0, 0, 1, 1, 60, 60, 3_600, DAY - 1, DAY, DAY + 1, 40 * DAY),
  isNewBlock: fc.boolean(),
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant("deposit" as const) },
    { weight: 10, arbitrary: fc.constant("sweep" as const) },
    { weight: 2, arbitrary: fc.constantFrom("any", "mint", "burn", "self", "empty") },
  ),
  /** Most deposits are those of users. */
  isOfUser: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
  deposit: fc.nat(DEPOSITS.length - 1),
  from: fc.nat(ALL.length - 1),
  to: fc.nat(ALL.length - 1),
  /** How much stays of what there is: a thousandth of what is sent, more or less. */
  stays: fc.constantFrom(
    "nothing",
    "nothing",
    "nothing",
    "nothing",
    "a unit",
    "a thousandth",
    "a thousandth",
    "more",
    "half",
  ),
  /** Most deposit addresses sweep to one exchange. */
  strays: fc.integer({ min: 0, max: 19 }).map((number) => number === 0),
});

/** Where the deposit address of each number sweeps to. */
const HOMES = [HOT, HOT, KRAKEN, OTHER, SECOND_OTHER, SECOND_HOT];

/** @param most units that are minted at first */
export function economies(steps = 60, most = 2n ** 90n): fc.Arbitrary<Token> {
  return fc
    .record({ steps: fc.array(step, { minLength: 1, maxLength: steps, size: "max" }), supply: fc.bigInt(5_000n, most) })
    .map(({ steps, supply }) => {
      const balances = new Map(ALL.map((address) => [address, 0n]));
      const transfers: Transfer[] = [];
      let [block, logIndex, timestamp] = [100, 0, Date.UTC(2024, 0, 30) / 1000];
      const move = (from: string, to: string, value: bigint) => {
        transfers.push({ block, logIndex: logIndex++, timestamp, from, to, value });
        if (from !== ZERO_ADDRESS) balances.set(from, balances.get(from)! - value);
        if (to !== ZERO_ADDRESS) balances.set(to, balances.get(to)! + value);
      };
      for (const holder of [...USERS, HOT, KRAKEN, OTHER, CONTRACT]) move(ZERO_ADDRESS, holder, supply);
      for (const { wait, isNewBlock, kind, ...choice } of steps) {
        if (wait > 0 || isNewBlock) {
          block++;
          logIndex = 0;
          timestamp += wait;
        }
        const [any, address] = [ALL[choice.from]!, DEPOSITS[choice.deposit]!];
        const target = choice.strays ? ALL[choice.to]! : HOMES[choice.deposit]!;
        const held = (of: string) => balances.get(of)!;
        if (kind === "deposit") {
          const payer = choice.isOfUser ? USERS[choice.from % USERS.length]! : any;
          move(payer, address, held(payer) / 3n);
        } else if (kind === "sweep") move(address, target, held(address) - staying(choice.stays, held(address)));
        else if (kind === "any") move(any, ALL[choice.to]!, held(any) - staying(choice.stays, held(any)));
        else if (kind === "mint") move(ZERO_ADDRESS, address, 7n);
        else if (kind === "burn") move(address, ZERO_ADDRESS, held(address));
        else if (kind === "self") move(address, address, held(address));
        else move(address, HOT, 0n);
      }
      return {
        decimals: 18,
        maxSupply: "1000000",
        asOf: timestamp + 1,
        prices: [],
        exchanges: {
          [HOT]: "binance",
          [SECOND_HOT]: "binance",
          [KRAKEN]: "kraken",
          [OTHER]: "other",
          [SECOND_OTHER]: "unheard-of",
        },
        contracts: [CONTRACT, OTHER],
        transfers,
      };
    });
}

/** What stays of a balance, so that it is a little below, at or above a thousandth of the rest. */
function staying(stays: string, balance: bigint): bigint {
  const atMost = balance / 1001n;
  const most =
    { nothing: 0n, "a unit": 1n, "a thousandth": atMost, more: atMost + 1n, half: balance / 2n }[stays] ?? 0n;
  return most < balance ? most : 0n;
}
