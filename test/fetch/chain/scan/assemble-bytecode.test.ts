import { describe, expect, it } from "vitest";
import { assemble } from "../../../../builder/fetch/chain/scan/assemble-bytecode.ts";

describe("assemble", () => {
  it("assembles instructions, operands and jumps", () => {
    // PUSH1 2a, DUP1, JUMPDEST at 3, PUSH2 0003, JUMP
    expect(assemble("PUSH1 2a DUP1 ; a comment\n loop: @loop JUMP")).toBe("0x602a805b61000356");
    expect(assemble("@end PUSH3 ef0100 end:")).toBe("0x61000762ef01005b");
  });

  it.each([
    ["NOPE", "NOPE is not an instruction"],
    ["PUSH2 00", "00 is not an operand"],
    ["PUSH1", "the last PUSH has no operand"],
    ["@there JUMP", "there is no place there"],
  ])("refuses %s", (program, message) => {
    expect(() => assemble(program)).toThrow(message);
  });
});
