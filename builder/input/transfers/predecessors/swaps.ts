/**
 * Finds swaps of old tokens for new ones: within a block, a holder's old tokens vanish and its new ones appear, or the other way
 * round. Source: docs/migrations.md#swaps.
 */

/** Events of a block in order, in merged raw units; what takes and gives tokens in swaps is number 0, as the zero address. */
export interface SwapEvents {
  from: Uint32Array;
  to: Uint32Array;
  /** Lowered by what is swapped. */
  amounts: bigint[];
  /** The number of the contract of each event: predecessors in their order, then the asset's own. */
  contracts: Uint8Array;
}

/** What a holder has burned or minted of a contract in the block, and has not been swapped. */
interface Open {
  row: number;
  isMint: boolean;
}

/**
 * Takes the swaps out of the events `begin` to `end`, which are of one block: both sides of each are lowered by what the two have
 * in common. A holder's own sends come between a mint and a burn only if they are no swap: what it sent were the new tokens.
 *
 * @param isSwapped whether the rule of a contract is the swap
 * @returns the amount of each swap
 */
export function takeSwaps(
  { from, to, amounts, contracts }: SwapEvents,
  begin: number,
  end: number,
  isSwapped: (contract: number) => boolean,
): bigint[] {
  const swaps: bigint[] = [];
  const openOf = new Map<number, Open[]>();
  for (let row = begin; row < end; row++) {
    const [source, target] = [from[row]!, to[row]!];
    if (source === target || amounts[row] === 0n) continue;
    const isMint = source === 0;
    const isSide = isMint || target === 0;
    const holder = isMint ? target : source;
    const open = openOf.get(holder) ?? [];
    const isCounterpart = (other: Open) =>
      other.isMint !== isMint &&
      contracts[other.row] !== contracts[row] &&
      isSwapped(Math.min(contracts[other.row]!, contracts[row]!));
    for (const other of isSide ? open.filter(isCounterpart) : []) {
      const amount = lesser(amounts[row]!, amounts[other.row]!);
      if (amount === 0n) continue;
      amounts[row]! -= amount;
      amounts[other.row]! -= amount;
      swaps.push(amount);
    }
    const isSent = !isMint && amounts[row]! > 0n;
    const rest = open.filter((other) => amounts[other.row]! > 0n && !(isSent && other.isMint));
    if (isSide && amounts[row]! > 0n) rest.push({ row, isMint });
    openOf.set(holder, rest);
  }
  return swaps;
}

function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
