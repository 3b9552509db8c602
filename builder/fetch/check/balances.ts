/** Compares balances with the chain's: early, of the first blocks of a first fetch, and at its end, of all. */

import { isoTime } from "../../../data-schema/text.ts";
import { contractDecimals } from "../../input/asset/asset.ts";
import { type FetchCheck, type Fetched, isOfDays, isOfHour } from "../../input/fetched/fetched.ts";
import { Failure } from "../../lib/failure.ts";
import { densityAfter } from "../chain/logs/page-size.ts";
import { recordOnly } from "../kept/commit.ts";
import type { FetchPlan } from "../plan/fetch-plan.ts";
import { termsOf } from "../plan/file-terms.ts";
import type { AssetFetch } from "../plan/work.ts";
import { startOfDay } from "../times/file-periods.ts";
import type { TransferFiles } from "../transfers/transfer-files.ts";
import type { Changes } from "./compare-with-contract.ts";
import { checkDecimals } from "./decimals.ts";
import { checkEarly } from "./early.ts";
import type { FileLedgers } from "./ledgers/file-ledgers.ts";
import { type CheckedFile, checkAndMend } from "./mend.ts";
import { otherSymbol } from "./statements.ts";

/** The first blocks of an asset: a page of most nodes. */
const EARLY_BLOCKS = 500;

/**
 * Looks at the balances after the first blocks of a first fetch.
 *
 * @throws {Failure} the token's balances don't follow from its transfers, which more of them would not change
 */
export async function lookEarly(work: AssetFetch, { first, planned }: FetchPlan, files: TransferFiles): Promise<void> {
  const { nodes, events, fetched, confirmations, check } = work;
  const range = { from: first.number, to: first.number + EARLY_BLOCKS - 1 };
  if (fetched || check === "none" || planned.length === 0 || planned.at(-1)!.to <= range.to) return;
  await files.readPages(range.to);
  const transfers = () => files.firstTransfers(range);
  await checkEarly({ nodes, source: events, range, transfers }, confirmations);
}

/**
 * Compares the balances of all files with the chain's.
 *
 * @returns undefined if there is no need to
 * @throws {Failure} they differ; nothing has been put into place, and fetch.json says that the check failed
 */
export async function checkBalances(
  work: AssetFetch,
  plan: FetchPlan,
  files: TransferFiles,
  ledgers: FileLedgers,
): Promise<FetchCheck | undefined> {
  const {
    asset,
    source,
    folder,
    nodes,
    events,
    fetched,
    recorded,
    confirmations,
    checkLimit,
    repair = false,
    progress,
  } = work;
  const { lastBlock } = source;
  // A token that has ended has nothing new.
  const hasEnded = lastBlock !== undefined && plan.planned.every(({ from }) => from > lastBlock);
  const isRight = [undefined, contractDecimals(asset)].includes(recorded?.check?.decimals);
  const isDue = (plan.planned.length > 0 && !hasEnded) || work.check === "all" || repair || !isRight;
  const isChecked = !isDue && fetched?.check?.status === "passed";
  if (isChecked) return undefined;
  if (work.check === "none") {
    work.note("Balances were not compared with the chain: the next fetch without --check none compares them.");
    return undefined;
  }
  const { old } = files;
  const { check, identity, notices } = await checkAndMend({
    nodes,
    source: events,
    lastBlock,
    confirmations,
    limit: checkLimit,
    repair,
    progress,
    meet: work.meet,
    files: [...old.filter(isOfDays), ...hoursOf(work)],
    changes: changesOf(work, plan, files),
    range: { from: plan.first.number, to: plan.last.number },
    density: densityAfter(old),
    above: files.above,
    newFrom: plan.planned[0]?.from ?? plan.last.number + 1,
    transfers: () => files.transfers(),
    ledger: (onBlock) => ledgers.all(onBlock),
    distrust: () => ledgers.distrust(),
    replacePages: (ranges, nodes, isExact) => files.replacePages(ranges, nodes, isExact),
    // With --repair, none of them is of an hour.
    replaceFile: ({ file }, nodes) => files.replaceFile(old.find((entry) => entry.file === file)!, nodes),
  });
  for (const notice of notices) work.note(notice);
  if (check.status === "passed") {
    await checkDecimals(work, identity);
    const symbol = otherSymbol(identity, asset);
    if (symbol !== undefined && symbol !== recorded?.check?.symbol) {
      work.note(`The contract's symbol is "${symbol}"; ${asset.path} calls it ${asset.symbol}.`);
    }
    return {
      ...check,
      ...(identity.decimals !== undefined && { decimals: contractDecimals(asset) }),
      ...(symbol !== undefined && { symbol }),
    };
  }
  const nothingYet: Fetched = {
    schema: 2,
    chainId: source.chainId,
    contract: asset.contract,
    terms: termsOf(source, work.opening),
    files: [],
    asOf: isoTime(startOfDay(plan.first.time)),
  };
  await recordOnly(folder, { ...(recorded ?? nothingYet), check });
  throw new Failure(`${asset.symbol}: ${(check.problems ?? []).join("\n")}`);
}

/** What has changed since the last check; undefined where everything is to be compared: at least once a day. */
function changesOf(
  { check, fetched, repair }: AssetFetch,
  { planned }: FetchPlan,
  files: TransferFiles,
): Changes | undefined {
  const last = fetched?.check;
  if (last?.status !== "passed" || check === "all" || repair) return undefined;
  if (planned.length === 0 || !planned.every(isOfHour)) return undefined;
  // What came after the last final block may have been replaced.
  return {
    after: last.final ?? last.block,
    transfers: () => files.transfers(files.added),
    blocked: last.blocked ?? [],
  };
}

/** The running day's hours as one: some of them have no file, and all of them are fetched again together. */
function hoursOf({ fetched }: AssetFetch): CheckedFile[] {
  if (!fetched?.hours) return [];
  const { from, to } = fetched.hours;
  return [{ file: `transfers/${fetched.asOf.slice(0, 10)}T*.parquet`, from, to, isUnsettled: true }];
}
