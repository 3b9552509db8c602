/** What it takes to know what was known, of the reads that a request may make. */

import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { ChangeEntry } from "../../../data-schema/changes.ts";
import { knownLine } from "../../../data-schema/known-lines.ts";
import type { Known } from "../../../data-schema/known-log.ts";
import { changeKey } from "../../../data-schema/objects.ts";
import type { Context } from "../../../worker/context.ts";
import { Isolate } from "../../../worker/isolate.ts";
import { answerable } from "../../../worker/locate/known.ts";
import { MOST_SUBREQUESTS } from "../../../worker/read/rows.ts";
import { recordingBucket } from "../bindings.ts";
import { at, DAY, publish } from "../token.ts";

const START = at("2025-03-01");
const SINCE = "2025-03-05T00:00:00.000Z";

it("is counted, also over the calls of a batch", async () => {
  const manifest = await publish(env.BUCKET, {
    symbol: "COUNTED",
    metrics: ["sopr"],
    periods: { day: [{ name: "all", from: START, to: START + 100 * DAY }] },
    range: { day: [START, START + DAY] },
    series: () => [{ t: START, v: 1 }],
    activation: { at: SINCE, change: 1, nights: [], knownSince: SINCE },
  });
  const known: Known = { since: SINCE, lines: [knownLine(manifest, 1, SINCE, null)], older: null };
  const { build, asOf } = manifest;
  const facts = { previous: null, previousBuild: null, activated: SINCE, nights: [], series: [], uncompared: 0 };
  const entry: ChangeEntry = {
    schema: 1,
    symbol: "COUNTED",
    n: 1,
    build,
    asOf,
    causes: [{ kind: "first-build" }],
    ...facts,
    known,
  };
  await env.BUCKET.put(changeKey("COUNTED", 1), JSON.stringify(entry));
  const { bucket, take } = recordingBucket(env.BUCKET);
  const context = { bindings: { ...env, BUCKET: bucket }, isolate: new Isolate() } as unknown as Context;

  // What is known now takes none.
  expect(await answerable({ known: null }, [manifest], context)).toEqual({
    manifests: [manifest],
    known: null,
    context,
  });
  expect(take()).toHaveLength(0);

  const first = await answerable({ known: "first" }, [manifest], context);
  const made = take().length;
  expect(made).toBeGreaterThan(0);
  expect(MOST_SUBREQUESTS - first.context.reads!.left).toBeGreaterThanOrEqual(made);
  expect(first.manifests[0]).toMatchObject({ symbol: "COUNTED", build });

  const batch = { ...context, reads: { left: 100 } };
  await answerable({ known: "first" }, [manifest], batch);
  const left = batch.reads.left;
  expect(left).toBeLessThanOrEqual(100 - made);
  await answerable({ known: "first" }, [manifest], batch);
  expect(100 - batch.reads.left).toBe(2 * (100 - left));
});
