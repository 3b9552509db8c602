/** Reading alone: `read.ts ASSET.json THREADS`. */

import { readAsset } from "../../builder/input/asset.ts";
import { readInput } from "../../builder/input/read.ts";
import { timed } from "../rounds.ts";

export type ReadFigures = Record<"seconds" | "rows", number>;

const [path, threads] = process.argv.slice(2);
const asset = await readAsset(path);
const { seconds, result } = await timed(() => readInput(asset, { threads: Number(threads) }));
const figures: ReadFigures = { seconds, rows: result.report.rowsRead };
console.log(JSON.stringify(figures));
