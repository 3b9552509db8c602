/** Random histories whose input changes from build to build: the log says what a slow comparison of all points finds. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { rollback } from "../../../builder/published/builds/rollback.ts";
import { runBuild, TokenFolder } from "../../build/checkpoint/nights.ts";
import { isBuildable, iso, nights, pricesOf } from "../../build/checkpoint/random-nights.ts";
import { histories } from "../../reference/histories.ts";
import { replayOrder, type Token } from "../../reference/reference.ts";
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

it("entries are those of a slow comparison, of nights as of full builds and rollbacks", async () => {
  /** First causes of entries that change something. */
  const restating = new Set<string>();
  await fc.assert(
    fc.asyncProperty(plans, async ({ token, times, changes }) => {
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
          write(changed(token, changes[i]!));
          const keys = { asOf: iso(asOf), ...(token.prices.length === 0 && { prices: undefined }) };
          await runBuild(store, folder.asset(keys), { threads });
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
    }),
    { numRuns: 16 },
  );
  for (const kind of ["prices", "rollback"]) expect(restating).toContain(kind);
}, 600_000);
