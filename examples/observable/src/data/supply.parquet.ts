/**
 * A data loader of Observable Framework: what it prints becomes the page's file supply.parquet when the site is built, so
 * that the key stays with whoever builds it.
 */

const { SOPRANO_URL = "http://127.0.0.1:8787", SOPRANO_KEY = "", SOPRANO_ASSET = "ARIA" } = process.env;

const query = new URLSearchParams({ a: SOPRANO_ASSET, m: "supply", c: "*", f: "parquet" });
const response = await fetch(`${SOPRANO_URL}/v3/series?${query}`, { headers: { "X-Api-Key": SOPRANO_KEY } });
if (!response.ok) {
  const { title, detail } = (await response.json()) as { title: string; detail: string };
  throw new Error(`${title}: ${detail}`);
}
for await (const piece of response.body!) process.stdout.write(piece);

export {};
