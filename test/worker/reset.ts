/** Each file of tests starts with an empty bucket and an empty namespace: the files share one isolate. */

import { env } from "cloudflare:workers";
import { beforeAll } from "vitest";

const { log } = console;
// Each line would be sent to the process that runs the tests, which drops it: a quarter of what a request takes here.
console.log = (...words: unknown[]) => {
  if (!String(words[0]).startsWith('{"event":"request"')) log(...words);
};

beforeAll(async () => {
  // Neither outgrows one page: 1,000 names.
  const { objects } = await env.BUCKET.list();
  if (objects.length > 0) await env.BUCKET.delete(objects.map(({ key }) => key));
  const { keys } = await env.KEYS.list();
  await Promise.all(keys.map(({ name }) => env.KEYS.delete(name)));
});
