/** The WebAssembly of assembly/replay.ts. */

import { readFileSync } from "node:fs";
import type { KernelTable } from "../closes/close.ts";
import type { TokenUnit } from "../history/amounts.ts";
import { EngineRefusal } from "../refusal.ts";

const compiled = new WebAssembly.Module(readFileSync(new URL("../assembly/replay.wasm", import.meta.url)));

/** The exports of assembly/replay.ts; columns, tables and lists are addresses in its memory. */
export interface ReplayKernel extends Record<ColumnName | TableName | "hasOverflowed", { value: number }> {
  memory: { buffer: ArrayBuffer };
  setup(...layout: number[]): void;
  setGroup(holder: number, label: number): void;
  restore(
    holder: number,
    basis: number,
    purchaseTime: number,
    firstEvent: number,
    lastEvent: number,
    lastDeposit: number,
  ): void;
  balanceOf(holder: number): number;
  basisOf(holder: number): number;
  purchaseTimeOf(holder: number): number;
  firstEventOf(holder: number): number;
  lastEventOf(holder: number): number;
  lastDepositOf(holder: number): number;
  listHolders(): number;
  replay(count: number): number;
  closeRemainingDays(): void;
  sumBalances(): void;
}
type InputColumn = "from" | "to" | "timestamp" | "price" | "values" | "closePrices" | "monthStarts";
type ColumnName = InputColumn | "tokens" | "basis" | "since" | "sender" | "receiver" | "deposits";
type EdgeTable = "costEdges" | "valueEdges" | "ageEdges" | "balanceEdges" | "balanceEdgeTokens";
/** The rows of closes/ read others, by name. */
type TableName = EdgeTable | "closingSums" | "holderList";

/**
 * @param onClose called when a day has closed: `closingSums` holds cost digits from `lowest` to `highest`
 * @throws {EngineRefusal} from `setup` and `sumBalances`: the partition needs more than 4 GB of memory
 */
export function instantiateReplay(unit: TokenUnit, onClose: (lowest: number, highest: number) => void): ReplayKernel {
  const kernel = new WebAssembly.Instance(compiled, {
    balance: {
      decimalTokens: (at, count) => unit.tokens(new Uint32Array(kernel.memory.buffer, at >>> 0, count), 0, count),
    },
    memory: {
      outOfMemory: () => {
        throw new EngineRefusal({ kind: "memory", of: "partition" });
      },
    },
    replay: { dayClosed: onClose },
  }).exports as unknown as ReplayKernel;
  return kernel;
}

/** The tables that the kernel exports, by name. */
export const kernelTable =
  (kernel: ReplayKernel): KernelTable =>
  (name) =>
    new Uint32Array(kernel.memory.buffer, (kernel as unknown as Record<string, { value: number }>)[name]!.value);
