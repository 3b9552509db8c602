/** The checksum that addresses carry in the case of their letters. Source: https://eips.ethereum.org/EIPS/eip-55. */

const LANES = 25;
const RATE_BYTES = 136;
const MASK = (1n << 64n) - 1n;

const rotated = (lane: bigint, by: number): bigint =>
  by === 0 ? lane : ((lane << BigInt(by)) | (lane >> BigInt(64 - by))) & MASK;

/** Where each lane moves to, and by how many bits it is rotated: the walk of rho and pi. */
const WALK: readonly (readonly [to: number, by: number])[] = (() => {
  const walk: [number, number][] = [];
  let [x, y] = [1, 0];
  for (let step = 0; step < 24; step++) {
    [x, y] = [y, (2 * x + 3 * y) % 5];
    walk.push([x + 5 * y, (((step + 1) * (step + 2)) / 2) % 64]);
  }
  return walk;
})();

/** The constants of iota: bits of a linear feedback shift register. */
const ROUNDS: readonly bigint[] = (() => {
  let register = 1;
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let bit = 0; bit < 7; bit++) {
      if (register & 1) constant |= 1n << BigInt(2 ** bit - 1);
      register = (register << 1) ^ (register >> 7 ? 0x171 : 0);
    }
    return constant;
  });
})();

function permute(state: bigint[]): void {
  for (const constant of ROUNDS) {
    const parity = [0, 1, 2, 3, 4].map((x) => [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ state[x + y]!, 0n));
    for (let lane = 0; lane < LANES; lane++) {
      state[lane]! ^= parity[(lane + 4) % 5]! ^ rotated(parity[(lane + 1) % 5]!, 1);
    }
    let carried = state[1]!;
    for (const [to, by] of WALK) [carried, state[to]] = [state[to]!, rotated(carried, by)];
    for (let row = 0; row < LANES; row += 5) {
      const lanes = state.slice(row, row + 5);
      for (let x = 0; x < 5; x++) state[row + x] = lanes[x]! ^ (~lanes[(x + 1) % 5]! & MASK & lanes[(x + 2) % 5]!);
    }
    state[0]! ^= constant;
  }
}

/**
 * Keccak-256 as Ethereum has it, which pads otherwise than SHA-3.
 *
 * @returns 64 hexadecimal digits
 */
export function keccak256(bytes: Uint8Array): string {
  const padded = new Uint8Array((Math.floor(bytes.length / RATE_BYTES) + 1) * RATE_BYTES);
  padded.set(bytes);
  padded[bytes.length]! ^= 0x01;
  padded[padded.length - 1]! ^= 0x80;
  const view = new DataView(padded.buffer);
  const state = new Array<bigint>(LANES).fill(0n);
  for (let at = 0; at < padded.length; at += RATE_BYTES) {
    for (let lane = 0; lane < RATE_BYTES / 8; lane++) state[lane]! ^= view.getBigUint64(at + lane * 8, true);
    permute(state);
  }
  const digest = Buffer.alloc(32);
  for (let lane = 0; lane < 4; lane++) digest.writeBigUInt64LE(state[lane]!, lane * 8);
  return digest.toString("hex");
}

/** @param address 0x and 40 hexadecimal digits, in any case */
export function checksumAddress(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = keccak256(Buffer.from(digits, "latin1"));
  return `0x${[...digits].map((digit, index) => (Number.parseInt(hash[index]!, 16) >= 8 ? digit.toUpperCase() : digit)).join("")}`;
}

/** Whether an address has a checksum that is wrong. Letters of one case carry none. */
export function isMistyped(address: string): boolean {
  const digits = address.slice(2);
  const carriesNone = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return !carriesNone && checksumAddress(address).slice(2) !== digits;
}
