/** Requests as code. All languages but the plain URL send the key in a header, because URLs end up in logs. */

import { requestUrl, type SeriesRequest } from "./request.ts";

/** Takes the key's place in snippets that may be shared. */
export const KEY_PLACEHOLDER = "YOUR_API_KEY";

export interface NamedRequest {
  /** The series' name in code; unique. */
  name: string;
  request: SeriesRequest;
}

export const LANGUAGES = { url: "URL", curl: "curl", python: "Python", typescript: "TypeScript" } as const;
export type Language = keyof typeof LANGUAGES;

/** Whether a text names a language: the browser's storage may hold anything. */
export function isLanguage(text: string | null): text is Language {
  return text !== null && Object.hasOwn(LANGUAGES, text);
}

/** @param key the API key, or the placeholder */
type Writer = (requests: readonly NamedRequest[], origin: string, key: string) => string;

export const WRITERS: Record<Language, Writer> = {
  url: (requests, origin, key) =>
    requests.map(({ request }) => requestUrl(request, origin, { api_key: key })).join("\n"),

  curl: (requests, origin, key) =>
    requests
      .map(({ request }) => shellQuote(requestUrl(request, origin, { f: "csv" })))
      .map((url) => `curl -H ${shellQuote(`X-Api-Key: ${key}`)} ${url}`)
      .join("\n"),

  python: (requests, origin, key) => `from urllib.parse import urlencode

import pandas as pd

BASE = ${JSON.stringify(origin)}
KEY = ${JSON.stringify(key)}


def series(path: str, **query: str) -> pd.Series:
    points = pd.read_csv(
        f"{BASE}{path}?{urlencode({'f': 'csv', **query})}",
        storage_options={"X-Api-Key": KEY},
        index_col="t",
        parse_dates=["t"],
        float_precision="round_trip",
    )
    return points["v"].tz_localize("UTC")


${dataFrame(
  requests.map(
    ({ name, request: { path, query } }) =>
      `${JSON.stringify(name)}: series(${[JSON.stringify(path), ...query.map(([parameter, value]) => `${parameter}=${JSON.stringify(value)}`)].join(", ")}),`,
  ),
  requests.some(({ request }) => request.query.some(([parameter, value]) => parameter === "r" && value === "block")),
)}
print(data)
`,

  typescript: (requests, origin, key) => `const BASE = ${JSON.stringify(origin)};
const KEY = ${JSON.stringify(key)};

interface Point {
  t: string; // UTC
  v: number;
}

async function series(path: string, query: Record<string, string>): Promise<Point[]> {
  const url = \`\${BASE}\${path}?\${new URLSearchParams(query)}\`;
  const response = await fetch(url, { headers: { "X-Api-Key": KEY } });
  if (!response.ok) throw new Error((await response.json()).detail);
  return response.json();
}

const data = {
${requests
  .map(
    ({ name, request: { path, query } }) =>
      `  ${JSON.stringify(name)}: await series(${JSON.stringify(path)}, { ${query.map(([parameter, value]) => `${parameter}: ${JSON.stringify(value)}`).join(", ")} }),`,
  )
  .join("\n")}
};
console.log(data);
`,
};

/** One table of all series. Series of blocks stay separate: blocks may share a time, and pandas can't align such series. */
function dataFrame(entries: string[], hasBlocks: boolean): string {
  if (hasBlocks) return `data = {\n${entries.map((entry) => `    ${entry}\n`).join("")}}`;
  return `data = pd.DataFrame(\n    {\n${entries.map((entry) => `        ${entry}\n`).join("")}    }\n)`;
}

/** Quotes a text for POSIX shells, where nothing has a special meaning between single quotes. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
