/** The screener says what /v3/series says of its formulas, of real builds. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { SCREENER_COLUMNS } from "../../data-schema/stored/screener.ts";
import { type Served, serveTokens } from "../clients/served.ts";

let served: Served;
beforeAll(async () => {
  served = await serveTokens();
});
afterAll(() => served?.close());

async function ask<T>(path: string): Promise<T> {
  const response = await fetch(served.url + path, { headers: { "X-Api-Key": served.key } });
  expect(response.status, path).toBe(200);
  return (await response.json()) as T;
}

type Fields = Record<"v" | "1d" | "7d" | "30d" | "pct", number | null>;

it.each(["ARIA", "DUET"])("of %s", async (asset) => {
  const { assets } = await ask<{ assets: (Record<string, Fields> & { asset: string; t: string; closes: number[] })[] }>(
    "/v3/screener",
  );
  const row = assets.find((one) => one.asset === asset)!;
  const short = (value: number) => Number(value.toPrecision(8));
  let values = 0;
  for (const { name, formula, isFraction } of SCREENER_COLUMNS) {
    const query = new URLSearchParams({ a: asset, x: `y=${formula}` });
    const { t, series } = await ask<{ t: string[]; series: { v: (number | null)[] }[] }>(`/v3/series?${query}`);
    const days = new Map(t.map((time, i) => [Date.parse(`${time}Z`) / 86_400_000, series[0]!.v[i]!]));
    const day = Date.parse(`${row.t}Z`) / 86_400_000;
    const now = days.get(day) ?? null;
    const change = (count: number) => {
      const earlier = days.get(day - count) ?? null;
      return now === null || earlier === null ? null : short(isFraction ? now / earlier - 1 : now - earlier);
    };
    const year = Array.from({ length: 365 }, (_, i) => days.get(day - i) ?? null).filter((value) => value !== null);
    const expected = {
      v: now === null ? null : short(now),
      "1d": change(1),
      "7d": change(7),
      "30d": change(30),
      pct: now === null ? null : short(year.filter((value) => value <= now).length / year.length),
    };
    expect({ name, ...row[name] }).toEqual({ name, ...expected });
    if (now !== null) values++;
    if (name === "price")
      expect(row.closes).toEqual(Array.from({ length: 30 }, (_, i) => short(days.get(day - 29 + i)!)));
  }
  expect(values).toBeGreaterThan(8);
});
