/** Each file of tests starts with an empty bucket and an empty namespace: the files share one isolate. */

import { env } from "cloudflare:workers";
import { beforeAll } from "vitest";

beforeAll(async () => {
  // Neither outgrows one page: 1,000 names.
  const { objects } = await env.BUCKET.list();
  if (objects.length > 0) await env.BUCKET.delete(objects.map(({ key }) => key));
  const { keys } = await env.KEYS.list();
  await Promise.all(keys.map(({ name }) => env.KEYS.delete(name)));
});
