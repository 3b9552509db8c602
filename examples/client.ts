/**
 * Prints a series of a Soprano server. Runs on Node.js 24, Deno and Bun, without packages.
 *
 *     export SOPRANO_KEY=...                       # soprano keys create --name me
 *     node client.ts TINY sopr
 *     node client.ts TINY volume c=users r=hour s=2024-01-02
 *
 * Set SOPRANO_URL if the server is not http://127.0.0.1:8787.
 */

interface Point {
  /** UTC, without an offset. */
  t: string;
  v: number;
}

/** An error as RFC 9457 has it. */
interface Problem {
  title: string;
  detail: string;
}

const { SOPRANO_URL: url = "http://127.0.0.1:8787", SOPRANO_KEY: key = "" } = process.env;

async function series(asset: string, metric: string, query: Record<string, string>): Promise<Point[]> {
  const response = await fetch(`${url}/v1/metrics/${metric}?${new URLSearchParams({ a: asset, ...query })}`, {
    headers: { "X-Api-Key": key },
  });
  if (!response.ok) {
    const { title, detail } = (await response.json()) as Problem;
    throw new Error(`${title}: ${detail}`);
  }
  return (await response.json()) as Point[];
}

const [asset = "", metric = "", ...parameters] = process.argv.slice(2);
const query = Object.fromEntries(parameters.map((parameter) => parameter.split("=")));
try {
  // Without the Z, Date would read the time as local.
  for (const { t, v } of await series(asset, metric, query)) console.log(new Date(`${t}Z`).toISOString(), v);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
