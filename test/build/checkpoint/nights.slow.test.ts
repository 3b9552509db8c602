/**
 * Any number of nights publishes what one full build publishes, bit for bit: the manifest has a digest of every object
 * and of the checkpoint. Source: docs/methodology.md §8.
 */

import fc from "fast-check";
import { expect, it } from "vitest";
import { checkpointKey } from "../../../data-schema/stored/objects.ts";
import { timeLimit, tries } from "../../effort.ts";
import { at, LEAP } from "../../engine/leap-weeks.ts";
import { histories } from "../../reference/histories.ts";
import { replayOrder, type Token, ZERO_ADDRESS } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { activeManifest, runBuild, TokenFolder } from "./nights.ts";
import { isBuildable, iso, nights, pricesOf, publishNights } from "./random-nights.ts";
import { decoded } from "./stored-checkpoint.ts";

const TIMEOUT_MS = timeLimit(600_000);

const buildable = histories(30).filter(isBuildable);

it("nights that begin and end in the middle of weeks and months, and at their very ends, equal one full build", async () => {
  const dates = ["2024-02-24T05:00", "2024-02-26", "2024-02-28", "2024-03-01", "2024-03-02T18:00", "2024-03-05"];
  const times = [...dates.map(at), LEAP.asOf].map((asOf) => ({ asOf, files: asOf, threads: 1 }));
  const { nightly, whole, resumedNights } = await publishNights(LEAP, times, "csv");
  expect(resumedNights).toBe(dates.length);
  const manifest = await activeManifest(nightly, "TOK");
  expect(manifest).toEqual(await activeManifest(whole, "TOK"));
  const { week, month } = manifest.resolutions;
  expect([week!.first, week!.last, month!.first, month!.last]).toEqual(
    ["2024-02-19", "2024-03-04", "2024-02-01", "2024-02-01"].map(at),
  );
  expect(week!.periods[0]!.metrics.volume!.rows).toBeGreaterThan(0);
});

/** Labels that a file may give; an address that is both counts as an exchange. */
const LABELS = ["none", "contract", "binance", "kraken", "binance and contract"] as const;
type Label = (typeof LABELS)[number];
const NEVER_SEEN = `0x${"ee".repeat(20)}`;

/** What counts of a label. */
const groupOf = (label: Label = "none") => (label === "binance and contract" ? "binance" : label);

/** The labels as the files of a token, in upper and lower case. */
function withLabels(token: Token, labels: ReadonlyMap<string, Label>): Token {
  const exchanges: Record<string, string> = {};
  const contracts: string[] = [];
  for (const [address, label] of labels) {
    if (label === "contract" || label === "binance and contract") contracts.push(address);
    if (label !== "contract" && label !== "none") exchanges[`0x${address.slice(2).toUpperCase()}`] = groupOf(label);
  }
  return { ...token, exchanges, contracts };
}

async function checkpointTime(store: MemoryStore): Promise<number | undefined> {
  const { checkpoint } = await activeManifest(store, "TOK");
  if (!checkpoint) return undefined;
  return decoded((await store.get(checkpointKey("TOK", checkpoint.hash)))!.bytes).checkpoint.time;
}

it(
  "a build resumes unless the label of an address has changed that moved tokens before the checkpoint",
  async () => {
    const change = fc.record({ who: fc.nat(40), label: fc.constantFrom(...LABELS) });
    const plan = (token: Token) =>
      nights(token).chain((times) => {
        const changes = fc.array(change, { maxLength: 2 });
        return fc.tuple(fc.constant(times), fc.array(changes, { minLength: times.length, maxLength: times.length }));
      });
    await fc.assert(
      fc.asyncProperty(
        buildable.chain((token) => fc.tuple(fc.constant(token), plan(token))),
        async ([token, [times, changes]]) => {
          const folder = new TokenFolder(token, "TOK");
          const prices = pricesOf(token);
          const nightly = new MemoryStore();
          const whole = new MemoryStore();
          try {
            const events = replayOrder({ ...token, asOf: Number.POSITIVE_INFINITY });
            const addresses = [...new Set([ZERO_ADDRESS, NEVER_SEEN, ...events.flatMap(({ from, to }) => [from, to])])];
            folder.csv("transfers-1.csv", events);
            if (prices.length > 0) folder.prices(prices);
            const asset = (asOf: number) =>
              folder.asset({ asOf: iso(asOf), ...(prices.length === 0 && { prices: undefined }) });
            const labels = new Map<string, Label>();
            let built = new Map(labels);
            let time: number | undefined;
            for (const [night, { asOf, threads }] of times.entries()) {
              for (const { who, label } of changes[night]!) labels.set(addresses[who % addresses.length]!, label);
              folder.labels(withLabels(token, labels));
              const moved = events
                .filter(({ timestamp, value, from, to }) => timestamp < (time ?? 0) && value > 0n && from !== to)
                .flatMap(({ from, to }) => [from, to]);
              const [first] = [...new Set(moved)]
                .filter((address) => address !== ZERO_ADDRESS)
                .filter((address) => groupOf(labels.get(address)) !== groupOf(built.get(address)))
                .sort();
              const { start } = await runBuild(nightly, asset(asOf), { threads });
              if (first !== undefined) {
                const [now, was] = [groupOf(labels.get(first)), groupOf(built.get(first))];
                const reason = `the label of ${first} has changed (${now}, was ${was})`;
                expect("reason" in start && start.reason.split(";")[0]).toBe(reason);
              } else if (time !== undefined) expect(start).toEqual({ from: time });
              built = new Map(labels);
              time = await checkpointTime(nightly);
            }
            await runBuild(whole, asset(token.asOf));
            expect(await activeManifest(nightly, "TOK")).toEqual(await activeManifest(whole, "TOK"));
          } finally {
            folder.close();
          }
        },
      ),
      { numRuns: tries(2) },
    );
  },
  TIMEOUT_MS,
);
