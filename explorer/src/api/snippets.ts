/** Requests as code. All languages but the plain URL send the key in a header, because URLs end up in logs. */

import { requestUrl, TABLE_PATH, type TableRequest } from "./request.ts";

export const LANGUAGES = { url: "URL", curl: "curl", python: "Python", typescript: "TypeScript", sql: "SQL" } as const;
export type Language = keyof typeof LANGUAGES;

/** Whether a text names a language: the browser's storage may hold anything. */
export function isLanguage(text: string | null): text is Language {
  return text !== null && Object.hasOwn(LANGUAGES, text);
}

/** Takes the key's place in snippets that may be shared. */
export const KEY_PLACEHOLDER = "YOUR_API_KEY";

/** @param key the API key, or the placeholder */
type Writer = (requests: readonly TableRequest[], origin: string, key: string) => string;

export const WRITERS: Record<"url" | "curl" | "python" | "typescript", Writer> = {
  url: (requests, origin, key) => requests.map((request) => requestUrl(request, origin, { api_key: key })).join("\n"),

  curl: (requests, origin, key) =>
    requests
      .map((request) => shellQuote(requestUrl(request, origin, { f: "csv" })))
      .map((url) => `curl -H ${shellQuote(`X-Api-Key: ${key}`)} ${url}`)
      .join("\n"),

  python: (requests, origin, key) => `from urllib.parse import urlencode

import pandas as pd

BASE = ${JSON.stringify(origin)}
KEY = ${JSON.stringify(key)}


def series(**query: str) -> pd.DataFrame:
    return pd.read_csv(
        f"{BASE}${TABLE_PATH}?{urlencode({'f': 'csv', **query})}",
        storage_options={"X-Api-Key": KEY},
        index_col="t",
        parse_dates=["t"],
        float_precision="round_trip",
    ).tz_localize("UTC")


${dataFrame(
  requests.map(
    ({ query }) => `series(${query.map(([parameter, value]) => `${parameter}=${JSON.stringify(value)}`).join(", ")})`,
  ),
  requests.some(({ query }) => query.some(([name, value]) => name === "r" && value === "block")),
)}
print(data)
`,

  typescript: (requests, origin, key) => `const BASE = ${JSON.stringify(origin)};
const KEY = ${JSON.stringify(key)};

interface Table {
  t: string[]; // UTC
  series: { asset: string; metric: string; selector: string; unit: string; v: (number | null)[] }[];
}

async function series(query: Record<string, string>): Promise<Table> {
  const url = \`\${BASE}${TABLE_PATH}?\${new URLSearchParams(query)}\`;
  const response = await fetch(url, { headers: { "X-Api-Key": KEY } });
  if (!response.ok) throw new Error((await response.json()).detail);
  return response.json();
}

const data = [
${requests
  .map(
    ({ query }) =>
      `  await series({ ${query.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ")} }),\n`,
  )
  .join("")}];
console.log(JSON.stringify(data, null, 2));
`,
};

/** One table of all series. Tables of blocks stay separate: blocks may share a time, and pandas can't align such rows. */
function dataFrame(calls: string[], hasBlocks: boolean): string {
  if (calls.length === 1) return `data = ${calls[0]}`;
  const list = `[\n${calls.map((call) => `    ${call},\n`).join("")}]`;
  return hasBlocks ? `data = ${list}` : `data = pd.concat(${list}, axis=1)`;
}

/** Quotes a text for POSIX shells, where nothing has a special meaning between single quotes. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
