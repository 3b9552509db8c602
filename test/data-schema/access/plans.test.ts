/** The plans and the bindings of wrangler.toml that count their requests. */

import { expect, it } from "vitest";
import { readWranglerToml } from "../../../builder/store/wrangler.ts";
import {
  ADDRESS_LIMIT,
  DEFAULT_PLAN,
  LIMIT_SECONDS,
  type Limit,
  PLANS,
  planOf,
} from "../../../data-schema/access/plans.ts";

it("wrangler.toml has the limits of the table, each with its own counter", async () => {
  const { ratelimits } = await readWranglerToml();
  const limits: Limit[] = [...PLANS, ADDRESS_LIMIT];
  const expected = limits.flatMap(({ binding, requests }) =>
    binding === null ? [] : [{ name: binding, limit: requests, period: LIMIT_SECONDS }],
  );
  expect(ratelimits.map(({ name, simple }) => ({ name, ...simple }))).toEqual(expected);
  expect(new Set(ratelimits.map(({ namespace_id }) => namespace_id)).size).toBe(expected.length);
  for (const { namespace_id } of ratelimits) expect(namespace_id).toMatch(/^[1-9]\d*$/);
});

it.each([
  ["free", "free"],
  ["unlimited", "unlimited"],
  [undefined, DEFAULT_PLAN],
  ["gold", DEFAULT_PLAN],
  ["constructor", DEFAULT_PLAN],
])("a record with the plan %s has the plan %s", (named, plan) => {
  expect(planOf(named).name).toBe(plan);
});
