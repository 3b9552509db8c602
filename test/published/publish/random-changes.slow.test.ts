/**
 * Random histories whose input changes from build to build: the log says what a slow comparison of all points finds, and
 * the manifest what the reference says of labels.
 */

import fc from "fast-check";
import { expect, it } from "vitest";
import { rollback } from "../../../builder/published/builds/rollback.ts";
import { activeManifest, runBuild, TokenFolder } from "../../build/checkpoint/nights.ts";
import { isBuildable, iso, nights, pricesOf } from "../../build/checkpoint/random-nights.ts";
import { timeLimit, tries, untilCovered } from "../../effort.ts";
import { histories } from "../../reference/histories.ts";
import { labelCoverage, replayOrder, type Token } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { entriesOf, slowComparison } from "./slow-comparison.ts";

/** What becomes of the input before a build. Indices count from the end, so that most changes are of what is open. */
const change = fc.record({
  kind: fc.constantFrom("none", "none", "price", "price", "transfers", "label"),
  index: fc.oneof(fc.nat(2), fc.nat(40)),
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

function changed(token: Token, { kind, index }: Change): Token {
  const { prices, transfers, exchanges } = token;
  if (kind === "price" && prices.length > 0) {
    const at = prices.length - 1 - (index % prices.length);
    return { ...token, prices: prices.map(([t, usd], i) => [t, i === at ? 1.5 * usd + 1 : usd]) };
  }
  if (kind === "transfers") {
    // Without the last of them the others still add up.
    const first = transfers.findIndex(({ from, to, value }) => value > 0n && from !== to);
    return { ...token, transfers: transfers.slice(0, Math.max(first + 1, transfers.length - index)) };
  }
  if (kind === "label") {
    const { to } = transfers.at(-1 - (index % transfers.length))!;
    return /[1-9a-f]/i.test(to.slice(2)) ? { ...token, exchanges: { ...exchanges, [to.toLowerCase()]: "okx" } } : token;
  }
  return token;
}

const plans = histories(25)
  .filter(isBuildable)
  .chain((token) =>
    nights(token).chain((times) =>
      fc.record({
        token: fc.constant(token),
        times: fc.constant(times),
        changes: fc.array(change, { minLength: times.length, maxLength: times.length }),
      }),
    ),
  );

/** Expects that a build says of labels what the reference does; returns the shares that it says. */
async function coverageOf(store: MemoryStore, token: Token): Promise<number[]> {
  const { labels } = await activeManifest(store, "TOK");
  return (["exchanges", "contracts"] as const).flatMap((kind) => {
    const { sha256: _, supplyShare, volumeShare, ...counts } = labels![kind]!;
    const expected = labelCoverage(token, kind);
    const close = (share: number | undefined) => (share === undefined ? share : expect.closeTo(share, 5));
    expect({ ...counts, supplyShare, volumeShare }).toEqual({
      ...expected,
      supplyShare: close(expected.supplyShare),
      volumeShare: close(expected.volumeShare),
    });
    return [supplyShare, volumeShare].filter((share) => share !== undefined);
  });
}

/** Causes that have to restate something. */
const KINDS = ["prices", "rollback"];

it(
  "entries and coverage are those found slowly, of nights as of full builds and rollbacks",
  async () => {
    /** First causes of entries that change something. */
    const restating = new Set<string>();
    let partlyCovered = 0;
    const property = fc.asyncProperty(plans, async ({ token, times, changes }) => {
      const folder = new TokenFolder(token, "TOK");
      const store = new MemoryStore();
      try {
        const write = (now: Token) => {
          const { exchanges, contracts } = now;
          // A label file names an address once, in any case.
          const lower = Object.entries(exchanges).map(([address, name]) => [address.toLowerCase(), name]);
          folder.labels({ ...now, exchanges: Object.fromEntries(lower), contracts });
          folder.csv("transfers-1.csv", replayOrder({ ...now, asOf: Number.POSITIVE_INFINITY }));
          if (token.prices.length > 0) folder.prices(pricesOf(now));
        };
        for (const [i, { asOf, threads }] of times.entries()) {
          const now = changed(token, changes[i]!);
          write(now);
          const keys = { asOf: iso(asOf), ...(token.prices.length === 0 && { prices: undefined }) };
          await runBuild(store, folder.asset(keys), { threads });
          const shares = await coverageOf(store, { ...now, asOf });
          // Few random histories have a share between none and all.
          partlyCovered += shares.filter((share) => share > 0 && share < 1).length;
        }
        const [first, ...others] = await entriesOf(store, "TOK");
        if (others.length > 0) {
          await rollback(store, "TOK", first!.build);
          await rollback(store, "TOK", others.at(-1)!.build);
        }
        for (const entry of await entriesOf(store, "TOK")) {
          expect(entry.series).toEqual(await slowComparison(store, entry));
          if (entry.series.length > 0) restating.add(entry.causes[0]!.kind);
        }
      } finally {
        folder.close();
      }
    });
    const isCovered = () => partlyCovered > 0 && KINDS.every((kind) => restating.has(kind));
    await untilCovered(() => fc.assert(property, { numRuns: tries(2) }), isCovered);
    for (const kind of KINDS) expect(restating).toContain(kind);
    expect(partlyCovered).toBeGreaterThan(0);
  },
  timeLimit(600_000),
);
