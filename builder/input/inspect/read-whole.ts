/** Reads the files of an asset as a build does, to say what its history is before there is an ASSET.json. */

import { type History, toBigInt } from "../../engine/history.ts";
import type { AssetFile } from "../asset/asset.ts";
import { digestInput } from "../digest-input.ts";
import { surveyInput } from "../survey.ts";
import { readShare } from "../transfers/read-share.ts";
import { wholeReading } from "../transfers/share-out.ts";

export interface WholeHistory {
  /** Transfers, each once. */
  rows: number;
  /** The blocks and times of the first and the last transfer; undefined without transfers. Times are Unix seconds. */
  blocks?: readonly [first: number, last: number];
  times?: readonly [first: number, last: number];
  /** The largest supply that the transfers add up to, in raw units. */
  largestSupply: bigint;
}

/** @throws {Failure} what a build would refuse */
export async function readWhole(asset: AssetFile): Promise<WholeHistory> {
  const survey = await surveyInput(asset, await digestInput(asset));
  const { history } = await readShare(asset, survey, wholeReading(survey), 0);
  const { rows, block, timestamp } = history;
  if (rows === 0) return { rows, largestSupply: 0n };
  return {
    rows,
    blocks: [block[0]!, block[rows - 1]!],
    times: [timestamp[0]!, timestamp[rows - 1]!],
    largestSupply: largestSupply(history),
  };
}

/** The zero address's number in a history. */
const ZERO = 0;

function largestSupply({ rows, from, to, values, valueWords }: History): bigint {
  let [supply, largest] = [0n, 0n];
  for (let row = 0; row < rows; row++) {
    if (from[row] !== ZERO && to[row] !== ZERO) continue;
    const value = toBigInt(values, row * valueWords, valueWords);
    if (from[row] === ZERO) supply += value;
    if (to[row] === ZERO) supply -= value;
    if (supply > largest) largest = supply;
  }
  return largest;
}
