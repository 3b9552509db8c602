/**
 * Clients of one key that read long answers slowly, in any number and format, one crowd after the other at the same
 * isolate: what others ask for is answered, and the isolate keeps its memory.
 */

import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { SlowReader } from "../../bench/worker/processes/slow-reader.ts";
import { FORMATS, GREEDY, ORDINARY, serveWideToken, table } from "../end-to-end/wide-token.ts";
import { newFolder } from "../folders.ts";
import type { Attack, Target } from "./attack.ts";

/** An isolate on Cloudflare has 128 MB. */
const MOST_HEAP = 115e6;

const LONG = [
  ...FORMATS.map((f) => table(GREEDY, `r=block&c=*&f=${f}`)),
  ...FORMATS.map((f) => table(GREEDY, `r=block&c=total,users&f=${f}`)),
  table(GREEDY, "r=hour&c=*&f=csv"),
  `/v1/metrics/sopr?api_key=${GREEDY}&a=WIDE&r=block`,
];

const one = fc.record({
  readers: fc.array(fc.constantFrom(...LONG), { minLength: 16, maxLength: 64 }),
  pause: fc.integer({ min: 0, max: 3_000 }),
  asked: fc.array(fc.constantFrom(...ORDINARY), { minLength: 4, maxLength: 12 }),
  /** Requests of the other key at a time. */
  atOnce: fc.integer({ min: 1, max: 3 }),
});
type Case = typeof one extends fc.Arbitrary<infer Value> ? Value : never;

export const crowds: Attack = {
  name: "crowds",
  unit: "requests beside crowds",
  twin: "test/end-to-end/fairness.slow.test.ts",
  async open() {
    const folder = newFolder();
    const server = await serveWideToken(folder);
    const target: Target<Case> = {
      cases: fc.limitShrink(one, 5),
      async attempt({ readers, pause, asked, atOnce }) {
        const ask = async (path: string) => {
          const response = await fetch(server.url + path);
          const body = await response.text();
          if (response.status !== 200) throw new Error(`${path}: ${response.status} ${body}`);
        };
        const peak = await server.during(async () => {
          const crowd = readers.map((path) => new SlowReader(server.url + path));
          try {
            await sleep(pause);
            const waiting = [...asked];
            const lane = async () => {
              for (let path = waiting.shift(); path; path = waiting.shift()) await ask(path);
            };
            await Promise.all(Array.from({ length: atOnce }, lane));
          } finally {
            for (const reader of crowd) reader.leave();
          }
        });
        if (peak.heap > MOST_HEAP) throw new Error(`The isolate holds ${Math.round(peak.heap / 1e6)} MB`);
        return asked.length;
      },
      async close() {
        await server.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
    return target as Target;
  },
};
