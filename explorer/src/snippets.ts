/** The same requests in the languages people ask in. But for the plain URL, the key is in a header: URLs end up in logs. */

import { requestUrl, type SeriesRequest } from "./request.ts";

/** Stands for the key wherever a snippet may be passed on. */
export const KEY_PLACEHOLDER = "YOUR_API_KEY";

export interface NamedRequest {
  /** What to call the series in code; no two alike. */
  name: string;
  request: SeriesRequest;
}

export const LANGUAGES = { url: "URL", curl: "curl", python: "Python", typescript: "TypeScript" } as const;
export type Language = keyof typeof LANGUAGES;

/** Whether a text names one: what the browser has stored may be anything. */
export function isLanguage(text: string | null): text is Language {
  return text !== null && Object.hasOwn(LANGUAGES, text);
}

/** @param key the key to put in, or the placeholder */
export function snippet(language: Language, requests: readonly NamedRequest[], origin: string, key: string): string {
  return WRITERS[language](requests, origin, key);
}

type Writer = (requests: readonly NamedRequest[], origin: string, key: string) => string;

const WRITERS: Record<Language, Writer> = {
  url: (requests, origin, key) =>
    requests.map(({ request }) => requestUrl(request, origin, { api_key: key })).join("\n"),

  curl: (requests, origin, key) =>
    requests
      .map(
        ({ request }) =>
          `curl -H ${shellQuote(`X-Api-Key: ${key}`)} ${shellQuote(requestUrl(request, origin, { f: "csv" }))}`,
      )
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


${frame(
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

/** A table of series; blocks, of which two may have the same time, stay apart: pandas lines up no such series. */
function frame(entries: string[], isOfBlocks: boolean): string {
  if (isOfBlocks) return `data = {\n${entries.map((entry) => `    ${entry}\n`).join("")}}`;
  return `data = pd.DataFrame(\n    {\n${entries.map((entry) => `        ${entry}\n`).join("")}    }\n)`;
}

/** For POSIX shells: nothing has a meaning between single quotes. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
