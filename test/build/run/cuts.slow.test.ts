/**
 * However a history is cut into nights, and a build into tasks, what is published has the same bytes: the manifest has a
 * digest of every object and of the checkpoint. Source: docs/methodology.md §8.
 */

import fc from "fast-check";
import { expect, it } from "vitest";
import type { TaskSizes } from "../../../builder/build/plan/sizes.ts";
import { timeLimit, tries, untilCovered } from "../../effort.ts";
import { histories } from "../../reference/histories.ts";
import { activeManifest } from "../checkpoint/nights.ts";
import { FORMS, isBuildable, nights, publishNights } from "../checkpoint/random-nights.ts";

const sizes: fc.Arbitrary<TaskSizes> = fc
  .record({
    rows: fc.integer({ min: 1, max: 6 }),
    partitions: fc.constantFrom(1, 2, 4, 8),
    hours: fc.integer({ min: 1, max: 5 }),
    writes: fc.integer({ min: 1, max: 5 }),
    // With one byte, events are read in pieces, and every metric of blocks is made alone.
    bytes: fc.constantFrom(1, 2 ** 28),
  })
  .map(({ rows, partitions, hours, writes, bytes }) => ({
    bytes,
    writesAtOnce: () => 2,
    rows: () => rows,
    partitions: () => partitions,
    hours: () => hours,
    writes: () => writes,
  }));

it(
  "nights that bring new transfers and the labels of new addresses equal one full build, whatever their tasks",
  async () => {
    let resumed = 0;
    const property = fc.asyncProperty(
      histories(30)
        .filter(isBuildable)
        .chain((token) => fc.tuple(fc.constant(token), nights(token))),
      fc.array(fc.option(sizes, { nil: undefined, freq: 3 }), { minLength: 6, maxLength: 6 }),
      // A new file each night: a history is cut where row groups begin.
      fc.constantFrom(...FORMS),
      async ([token, times], cuts, form) => {
        const cut = times.map((night, i) => ({ ...night, ...(cuts[i] && { sizes: cuts[i] }) }));
        const { nightly, whole, resumedNights } = await publishNights(token, cut, form, cuts.at(-1));
        resumed += resumedNights;
        expect(await activeManifest(nightly, "TOK")).toEqual(await activeManifest(whole, "TOK"));
      },
    );
    await untilCovered(
      () => fc.assert(property, { numRuns: tries(2) }),
      () => resumed > 5,
    );
    expect(resumed).toBeGreaterThan(5);
  },
  timeLimit(600_000),
);
