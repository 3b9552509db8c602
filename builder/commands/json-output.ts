/** What `--json` prints: one JSON document on stdout, of one schema a command. Source: docs/cli.md#json. */

import * as v from "valibot";
import type { Io } from "./options.ts";

const SCHEMA = v.literal(1);
const count = v.number();
const time = v.string();
const maybe = v.exactOptional;

const key = v.strictObject({
  id: v.string(),
  name: v.string(),
  status: v.picklist(["active", "revoked"]),
  created: time,
  expires: maybe(time),
  plan: maybe(v.string()),
  public: maybe(v.boolean()),
});

const report = {
  schema: SCHEMA,
  soprano: v.string(),
  began: time,
  seconds: v.number(),
  counts: v.record(v.string(), count),
};
const outcome = { file: v.string(), symbol: v.nullable(v.string()), error: maybe(v.string()), seconds: v.number() };

const meters = {
  requests: count,
  cpuMilliseconds: count,
  kvReads: count,
  writes: count,
  reads: count,
  storedBytes: count,
};

/** The document of each command. Fields may be added; `schema` changes if the meaning of one does. */
export const OUTPUTS = {
  build: v.strictObject({
    ...report,
    store: v.string(),
    stopped: maybe(v.string()),
    assets: v.array(
      v.strictObject({
        ...outcome,
        status: v.picklist(["published", "unchanged", "failed", "unfetched", "skipped"]),
        build: maybe(v.string()),
        from: maybe(time),
        reason: maybe(v.string()),
        transfers: maybe(count),
        replayed: maybe(count),
        objectsWritten: maybe(count),
        bytesWritten: maybe(count),
        notices: maybe(v.array(v.string())),
      }),
    ),
  }),
  fetch: v.strictObject({
    ...report,
    assets: v.array(
      v.looseObject({
        ...outcome,
        status: v.picklist(["fetched", "unchanged", "planned", "failed"]),
        requests: count,
        bytes: count,
        asOf: maybe(time),
        files: maybe(v.array(v.string())),
        rows: maybe(count),
        notices: maybe(v.array(v.string())),
      }),
    ),
  }),
  verify: v.strictObject({
    schema: SCHEMA,
    assets: v.array(
      v.union([
        v.strictObject({
          symbol: v.string(),
          build: v.string(),
          isWhole: v.boolean(),
          objects: count,
          points: count,
          checks: count,
          problems: v.array(v.string()),
          restated: maybe(
            v.strictObject({ since: v.string(), series: v.array(v.string()), causes: v.array(v.string()) }),
          ),
        }),
        v.strictObject({ symbol: v.string(), error: v.string() }),
      ]),
    ),
  }),
  builds: v.strictObject({
    schema: SCHEMA,
    symbol: v.string(),
    builds: v.array(
      v.strictObject({
        build: v.string(),
        isActive: v.boolean(),
        lastActive: time,
        created: maybe(time),
        asOf: maybe(time),
        engine: maybe(v.string()),
        reason: maybe(v.string()),
        objects: maybe(count),
        bytes: maybe(count),
        missing: count,
        problem: maybe(v.string()),
      }),
    ),
  }),
  gc: v.strictObject({
    schema: SCHEMA,
    dryRun: v.boolean(),
    assets: v.array(
      v.strictObject({ symbol: v.string(), builds: v.array(v.string()), objects: count, bytes: count, waiting: count }),
    ),
  }),
  status: v.strictObject({
    schema: SCHEMA,
    store: v.string(),
    assets: v.array(
      v.strictObject({
        symbol: v.string(),
        state: v.picklist(["ok", "late", "failed"]),
        why: v.string(),
        active: maybe(
          v.strictObject({
            build: v.string(),
            asOf: time,
            ageSeconds: count,
            mostAgeSeconds: count,
            activated: maybe(time),
            added: maybe(v.strictObject({ rows: count, objects: count, bytes: count })),
            checked: maybe(v.looseObject({ holders: count, of: count })),
            priceProof: maybe(v.looseObject({ pools: count, feeds: count })),
            lists: v.record(v.string(), count),
            labels: maybe(v.string()),
            deposits: maybe(time),
            corrections: count,
            objects: count,
            bytes: count,
            garbage: maybe(v.strictObject({ builds: count, objects: count, bytes: count })),
            month: v.strictObject({ writes: count, reads: count }),
          }),
        ),
      }),
    ),
    keys: v.array(v.string()),
    cost: maybe(
      v.strictObject({
        rows: v.array(
          v.strictObject({
            name: v.string(),
            used: v.strictObject({ storedBytes: count, writes: maybe(count), reads: maybe(count) }),
          }),
        ),
        requests: count,
        used: v.strictObject(meters),
        above: v.strictObject(meters),
        dollars: count,
        assumptions: v.array(v.string()),
      }),
    ),
  }),
  "keys list": v.strictObject({ schema: SCHEMA, keys: v.array(key), unreadable: v.array(v.string()) }),
  "keys create": v.strictObject({ schema: SCHEMA, id: v.string(), key: v.string() }),
  "keys rotate": v.strictObject({ schema: SCHEMA, id: v.string(), key: v.string(), oldId: v.string(), oldEnds: time }),
  "keys revoke": v.strictObject({ schema: SCHEMA, id: v.string() }),
  alerts: v.strictObject({
    schema: SCHEMA,
    dryRun: v.boolean(),
    firings: v.array(v.string()),
    notices: v.array(v.string()),
    failed: v.array(v.string()),
  }),
  "labels check": v.strictObject({
    schema: SCHEMA,
    address: v.string(),
    chains: v.array(v.string()),
    known: v.array(v.string()),
    own: v.array(v.strictObject({ what: v.string(), file: v.string(), row: count })),
  }),
};

type Output = keyof typeof OUTPUTS;

export const jsonOption = [
  "--json",
  "print one JSON document, as docs/cli.md describes it, in place of lines",
] as const;

/** Prints the document of a command. */
export function printJson<const Name extends Output>(
  { stdout }: Pick<Io, "stdout">,
  name: Name,
  document: v.InferInput<(typeof OUTPUTS)[Name]>,
): void {
  stdout.write(`${JSON.stringify(v.parse(OUTPUTS[name] as v.GenericSchema, document), null, 2)}\n`);
}
