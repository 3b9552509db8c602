/** A small assembler of EVM bytecode. Source: Ethereum's yellow paper, appendix H. */

/** The instructions that the scanners use. */
const OPCODES: Readonly<Record<string, number>> = {
  ADD: 0x01,
  SUB: 0x03,
  LT: 0x10,
  GT: 0x11,
  EQ: 0x14,
  ISZERO: 0x15,
  AND: 0x16,
  CALLDATASIZE: 0x36,
  CALLDATACOPY: 0x37,
  CODESIZE: 0x38,
  CODECOPY: 0x39,
  EXTCODESIZE: 0x3b,
  EXTCODECOPY: 0x3c,
  RETURNDATASIZE: 0x3d,
  RETURNDATACOPY: 0x3e,
  BLOCKHASH: 0x40,
  TIMESTAMP: 0x42,
  NUMBER: 0x43,
  POP: 0x50,
  MLOAD: 0x51,
  MSTORE: 0x52,
  MSTORE8: 0x53,
  JUMP: 0x56,
  JUMPI: 0x57,
  GAS: 0x5a,
  JUMPDEST: 0x5b,
  PUSH1: 0x60,
  PUSH2: 0x61,
  PUSH3: 0x62,
  PUSH4: 0x63,
  DUP1: 0x80,
  DUP2: 0x81,
  DUP3: 0x82,
  DUP4: 0x83,
  DUP5: 0x84,
  SWAP1: 0x90,
  SWAP2: 0x91,
  CREATE: 0xf0,
  RETURN: 0xf3,
  STATICCALL: 0xfa,
  REVERT: 0xfd,
};

/**
 * Assembles a program of words separated by white space. A word is an instruction, the hexadecimal operand of the PUSH
 * before it, `name:` for a place to jump to, or `@name` to push that place. The rest of a line after `;` is a comment.
 *
 * @returns 0x and hexadecimal digits
 * @throws {Error} an unknown word, an operand of another length, or a place that is not there
 */
export function assemble(program: string): string {
  const words = program.replace(/;.*$/gm, "").split(/\s+/).filter(Boolean);
  const code: number[] = [];
  const places = new Map<string, number>();
  const jumps: { at: number; name: string }[] = [];
  let operandBytes = 0;
  for (const word of words) {
    if (operandBytes > 0) {
      if (!new RegExp(`^[0-9a-f]{${2 * operandBytes}}$`).test(word)) throw new Error(`${word} is not an operand`);
      code.push(...Buffer.from(word, "hex"));
      operandBytes = 0;
    } else if (word.endsWith(":")) {
      places.set(word.slice(0, -1), code.length);
      code.push(OPCODES.JUMPDEST!);
    } else if (word.startsWith("@")) {
      code.push(OPCODES.PUSH2!, 0, 0);
      jumps.push({ at: code.length - 2, name: word.slice(1) });
    } else {
      const opcode = OPCODES[word];
      if (opcode === undefined) throw new Error(`${word} is not an instruction`);
      code.push(opcode);
      if (word.startsWith("PUSH")) operandBytes = opcode - OPCODES.PUSH1! + 1;
    }
  }
  if (operandBytes > 0) throw new Error("the last PUSH has no operand");
  for (const { at, name } of jumps) {
    const place = places.get(name);
    if (place === undefined) throw new Error(`there is no place ${name}`);
    code[at] = place >> 8;
    code[at + 1] = place & 0xff;
  }
  return `0x${Buffer.from(code).toString("hex")}`;
}
