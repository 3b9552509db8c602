/** 64 clients of one key that read long answers slowly, in each format: others are answered, within an isolate's memory. */

import { afterAll, beforeAll, expect, it } from "vitest";
import type { MeteredServer } from "../../bench/worker/memory.ts";
import { SlowReader } from "../../bench/worker/processes/slow-reader.ts";
import { newFolder } from "../folders.ts";
import { FORMATS, GREEDY, ORDINARY, serveWideToken, table } from "./wide-token.ts";

/** An isolate on Cloudflare has 128 MB. */
const MOST_HEAP = 115e6;

let server: MeteredServer;

beforeAll(async () => {
  server = await serveWideToken(newFolder());
}, 120_000);

afterAll(() => server?.close());

it.each([
  ...FORMATS.map((f) => [f, table(GREEDY, `r=block&c=*&f=${f}`)]),
  ["v1", `/v1/metrics/sopr?api_key=${GREEDY}&a=WIDE&r=block`],
])(
  "%s: another key is answered, and the isolate keeps its memory",
  async (_, path) => {
    const url = server.url + path!;
    const statuses: number[] = [];
    const peak = await server.during(async () => {
      const readers = Array.from({ length: 64 }, () => new SlowReader(url));
      // Some read by now, the others wait for a place.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      for (const ordinary of ORDINARY) {
        const response = await fetch(server.url + ordinary);
        await response.arrayBuffer();
        statuses.push(response.status);
      }
      for (const reader of readers) reader.leave();
    });
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(peak.heap).toBeLessThan(MOST_HEAP);
  },
  120_000,
);

it("28 block series as columnar JSON are refused before anything is read", async () => {
  const response = await fetch(server.url + table(GREEDY, "r=block&c=*"));
  expect(await response.json()).toMatchObject({ status: 400, type: "/problems/too-many-reads" });
});
