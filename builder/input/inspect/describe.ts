/** What `soprano inspect` prints of files: lines for people, and the members of ASSET.json to write. */

import { isoTime } from "../../../data-schema/text.ts";
import { count, counted } from "../../lib/terminal/amount-text.ts";
import type { Inspection } from "./inspect.ts";

const ROLES = {
  transfers: "transfers",
  blocks: "blocks",
  prices: "prices",
  exchanges: "labels of exchanges",
  addresses: "addresses",
} as const;

/** A file, as lines. */
export function describeFile(inspection: Inspection): string[] {
  const { file, role, what, columns, has, rows, blocks, times, contracts, contractCount, chains, isUntimed, problems } =
    inspection;
  const lines = [`${file.name}: ${role ? `${ROLES[role]}, ${what}` : what}`];
  const add = (line: string) => lines.push(`  ${line}`);
  const width = Math.max(0, ...columns.map(({ of }) => of.join(" and ").length));
  for (const { name, of } of columns)
    add(`${of.join(" and ").padEnd(width)} → ${name.startsWith("said_") ? "exchange" : name}`);
  if (columns.length === 0) add(`columns: ${has.join(", ")}`);
  if (rows !== undefined) {
    const range = blocks ? `, blocks ${count(blocks[0])} to ${count(blocks[1])}` : "";
    const span = times
      ? `, ${role === "prices" ? "which count from " : ""}${isoTime(times[0])} to ${isoTime(times[1])}`
      : "";
    add(`${counted(rows, "row")}${range}${span}`);
  }
  for (const { contract, rows, symbol, decimals } of contracts) {
    const said = [symbol, decimals === undefined ? undefined : counted(decimals, "decimal")].filter(
      (text) => text !== undefined,
    );
    add(`contract ${contract}: ${counted(rows, "row")}${said.length > 0 ? ` (${said.join(", ")})` : ""}`);
  }
  if (contractCount > contracts.length) add(`and ${counted(contractCount - contracts.length, "other contract")}`);
  if (chains.length > 0) add(`chain: ${chains.join(", ")}`);
  if (role === "transfers" && contracts.length === 0) {
    add("No column says whose transfers these are: all rows count as those of the asset.");
  }
  if (isUntimed) add('It has no times: name files of blocks under the key "blocks".');
  for (const problem of problems) add(problem);
  return lines;
}

/** The members of ASSET.json that name files: a path, or several. */
export type Members = Partial<Record<"transfers" | "blocks" | "prices" | "exchanges", string | string[]>>;

/** The members of ASSET.json that name the files; undefined if none of them can be named there. */
export function membersFor(
  inspections: readonly Inspection[],
  name: (inspection: Inspection) => string,
): Members | undefined {
  const members: Members = {};
  for (const role of ["transfers", "blocks", "prices", "exchanges"] as const) {
    const files = inspections
      .filter((inspection) => inspection.role === role && inspection.rows !== undefined)
      .map(name);
    if (files.length > 0) members[role] = files.length === 1 ? files[0]! : files;
  }
  return Object.keys(members).length > 0 ? members : undefined;
}

/** The members as lines to copy. */
export function memberLines(members: Members | undefined): string[] {
  if (!members) return [];
  const entries = Object.entries(members).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return ["In ASSET.json, beside these files:", ...entries.join(",\n").split("\n")];
}
