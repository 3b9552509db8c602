/** Kernels that need more memory than there is fail, instead of wrapping around. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const KERNELS = new URL("../../builder/engine/assembly/", import.meta.url);

type Kernel = Record<"setup" | "setCapacity" | "allocateColumns", (...numbers: number[]) => unknown> & {
  memory: { buffer: ArrayBuffer };
  wanted: { value: number };
};

function instance(name: string): Kernel {
  const refuse = () => {
    throw new Error("out of memory");
  };
  const imports = {
    memory: { outOfMemory: refuse },
    balance: { decimalTokens: () => 0 },
    replay: { dayClosed: () => {} },
  };
  const module = new WebAssembly.Module(readFileSync(new URL(`${name}.wasm`, KERNELS)));
  return new WebAssembly.Instance(module, imports).exports as never;
}

const ROWS = 300;

/** A kernel for sums of flows, which are all wanted. */
function flowsIn(blocks: number): Kernel {
  const flows = instance("flows");
  flows.setup(16, 16, ROWS, 15, -1);
  new Uint8Array(flows.memory.buffer, flows.wanted.value, ROWS).fill(1);
  flows.setCapacity(blocks);
  return flows;
}

// With the first, a single column exceeds 4 GB; with the second, the last of the columns ends beyond.
it.each([2 ** 31, 2 ** 23])("sums of flows in %d blocks", (blocks) => {
  const flows = flowsIn(blocks);
  expect(() => flows.allocateColumns()).toThrow("out of memory");
});

it("sums of flows in few blocks fit", () => {
  flowsIn(1_000).allocateColumns();
});

it.each([70e6, 2 ** 31])("the records of %d holders", (holders) => {
  expect(() => instance("replay").setup(holders, 0, 0, 16, 1, 1, 1, 0, 0, 0, 0)).toThrow("out of memory");
});
