/** What it takes to know what was known, of the reads that a request may make. */

import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { ChangeEntry } from "../../../data-schema/stored/changes.ts";
import { knownLine } from "../../../data-schema/stored/known-lines.ts";
import type { KnownLine } from "../../../data-schema/stored/known-log.ts";
import { changeKey } from "../../../data-schema/stored/objects.ts";
import type { Context } from "../../../worker/context.ts";
import { Isolate } from "../../../worker/isolate.ts";
import { answerable } from "../../../worker/locate/read-known.ts";
import { MOST_SUBREQUESTS } from "../../../worker/read/plan-table.ts";
import { readingBucket, recordingBucket } from "../bindings.ts";
import { at, DAY, publish, type Token } from "../token.ts";

const START = at("2025-03-01");
const SINCE = "2025-03-05T00:00:00.000Z";

/** Publishes a manifest and the log of its activations. */
async function publishLogged(token: Pick<Token, "symbol" | "own" | "asOf">, earlier: readonly Partial<KnownLine>[]) {
  const manifest = await publish(env.BUCKET, {
    metrics: ["sopr"],
    periods: { day: [{ name: "all", from: START, to: START + 100 * DAY }] },
    range: { day: [START, START + DAY] },
    series: () => [{ t: START, v: 1 }],
    activation: { at: SINCE, change: 1, nights: [], knownSince: SINCE },
    ...token,
  });
  const lines = [...earlier, {}].map((line, n) => ({ ...knownLine(manifest, n + 1, SINCE, null), ...line }));
  const { symbol, build, asOf } = manifest;
  const facts = { previous: null, previousBuild: null, activated: SINCE, nights: [], series: [], uncompared: 0 };
  const causes = [{ kind: "first-build" as const }];
  const known = { since: SINCE, lines, older: null };
  const entry: ChangeEntry = { schema: 1, symbol, n: 1, build, asOf, causes, ...facts, known };
  await env.BUCKET.put(changeKey(symbol, 1), JSON.stringify(entry));
  return manifest;
}

it("has, as first published, every list that there has been, and an as-of that no row comes after", async () => {
  const later = "2025-03-09T00:00:00Z";
  // The build in between had another list and another day: a rollback has undone it.
  const rolledBack = { build: "fedcba9876543210", asOf: later, cohorts: ["@funds" as const, "@team" as const] };
  const manifest = await publishLogged({ symbol: "UNDONE", own: ["@team"], asOf: "2025-03-08T00:00:00Z" }, [
    rolledBack,
  ]);
  const context = { bindings: env, isolate: new Isolate() } as unknown as Context;
  const [first] = (await answerable("first", [manifest], context)).manifests;
  expect(Object.keys(first!.cohorts!).sort()).toEqual(["@funds", "@team"]);
  expect([first!.build, first!.asOf]).toEqual([manifest.build, later]);
  const [atThatTime] = (await answerable(Date.parse(SINCE) / 1000, [manifest], context)).manifests;
  expect([Object.keys(atThatTime!.cohorts!), atThatTime!.asOf]).toEqual([["@team"], "2025-03-08T00:00:00Z"]);
});

it("tells the problem of the first asset, whichever is found first", async () => {
  const manifests = [await publishLogged({ symbol: "SLOW" }, []), await publishLogged({ symbol: "QUICK" }, [])];
  const bucket = readingBucket(
    env.BUCKET,
    async (key) => {
      await scheduler.wait(50);
      return env.BUCKET.get(key);
    },
    (key) => key === changeKey("SLOW", 1),
  );
  const context = { bindings: { ...env, BUCKET: bucket }, isolate: new Isolate() } as unknown as Context;
  await expect(answerable(0, manifests, context)).rejects.toThrow("What was known of SLOW");
});

it("is counted, also over the calls of a batch", async () => {
  const manifest = await publishLogged({ symbol: "COUNTED" }, []);
  const { build } = manifest;
  const { bucket, take } = recordingBucket(env.BUCKET);
  const context = { bindings: { ...env, BUCKET: bucket }, isolate: new Isolate() } as unknown as Context;

  // What is known now takes none.
  expect(await answerable(null, [manifest], context)).toEqual({
    manifests: [manifest],
    known: null,
    context,
  });
  expect(take()).toHaveLength(0);

  const first = await answerable("first", [manifest], context);
  const made = take().length;
  expect(made).toBeGreaterThan(0);
  expect(MOST_SUBREQUESTS - first.context.reads!.left).toBeGreaterThanOrEqual(made);
  expect(first.manifests[0]).toMatchObject({ symbol: "COUNTED", build });

  const batch = { ...context, reads: { left: 100 } };
  await answerable("first", [manifest], batch);
  const left = batch.reads.left;
  expect(left).toBeLessThanOrEqual(100 - made);
  await answerable("first", [manifest], batch);
  expect(100 - batch.reads.left).toBe(2 * (100 - left));
});
