import * as fc from "fast-check";
import { Address, Hash, Hex } from "ox";
import { expect, it } from "vitest";
import { checksumAddress, isMistyped, keccak256 } from "../../builder/lib/checksum-address.ts";

it("hashes as Ethereum does, whatever the length", () => {
  expect(keccak256(new Uint8Array())).toBe("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
  for (const length of [1, 135, 136, 137, 271, 272, 273]) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 7) % 256);
    expect(`0x${keccak256(bytes)}`).toBe(Hash.keccak256(Hex.fromBytes(bytes)));
  }
});

it("writes the addresses of EIP-55 as it does, and all others as another implementation", () => {
  for (const address of [
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0xde709f2102306220921060314715629080e2fb77",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
  ]) {
    expect(checksumAddress(address.toLowerCase())).toBe(address);
    expect(isMistyped(address)).toBe(false);
  }
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
      const address = Hex.fromBytes(bytes);
      expect(checksumAddress(address)).toBe(Address.checksum(address));
    }),
    { numRuns: 50 },
  );
});

it("finds a digit or a letter's case that is wrong, and asks nothing of addresses in one case", () => {
  expect(isMistyped("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee")).toBe(true);
  expect(isMistyped("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")).toBe(true);
  expect(isMistyped("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaee")).toBe(false);
  expect(isMistyped("0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAEE")).toBe(false);
});
