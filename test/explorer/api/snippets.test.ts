import { stripTypeScriptTypes } from "node:module";
import { expect, it } from "vitest";
import { requestUrl } from "../../../explorer/src/api/request.ts";
import { KEY_PLACEHOLDER, WRITERS } from "../../../explorer/src/api/snippets.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import { snippetRequests } from "../../../explorer/src/state/requests.ts";
import { catalog } from "../catalog.ts";

const ORIGIN = "https://soprano.test";

const named = (search: string) => snippetRequests(parseAddress(search, catalog, []).chart, catalog);

it("snippets contain the key that they are given, or the placeholder", () => {
  for (const language of Object.keys(WRITERS) as (keyof typeof WRITERS)[]) {
    expect(WRITERS[language](named("?y=sopr&y=sopr:users"), ORIGIN, KEY_PLACEHOLDER)).toContain(KEY_PLACEHOLDER);
    expect(WRITERS[language](named("?y=sopr"), ORIGIN, "real-key")).toContain("real-key");
  }
});

it("curl has a line for each request, in quotes", () => {
  expect(WRITERS.curl(named("?y=volume:$10M%2B&y=sopr"), ORIGIN, "k")).toBe(
    `curl -H 'X-Api-Key: k' 'https://soprano.test/v3/series?f=csv&a=ARIA&m=volume&c=$10M%2B&r=day'
curl -H 'X-Api-Key: k' 'https://soprano.test/v3/series?f=csv&a=ARIA&m=sopr&c=total&r=day'`,
  );
});

it("only the plain URL contains the key; other languages send it in a header", () => {
  for (const language of Object.keys(WRITERS) as (keyof typeof WRITERS)[]) {
    const text = WRITERS[language](named("?y=sopr"), ORIGIN, "k");
    expect({ language, inUrl: text.includes("api_key") }).toEqual({ language, inUrl: language === "url" });
    expect({ language, inHeader: text.includes("X-Api-Key") }).toEqual({ language, inHeader: language !== "url" });
  }
});

it("TypeScript code runs, and requests the chart's series", async () => {
  const requests = named("?y=volume:<1d&y=num_transfers:$20m%2B&s=2025-01-01");
  const code = stripTypeScriptTypes(WRITERS.typescript(requests, ORIGIN, "k"));
  const asked: string[] = [];
  const fetched = async (url: string, { headers }: RequestInit) => {
    expect(headers).toEqual({ "X-Api-Key": "k" });
    asked.push(url);
    return Response.json({ t: ["2025-01-01T00:00:00"], series: [] });
  };
  let logged: unknown[] = [];
  const run = new Function("fetch", "console", `return (async () => {${code}})()`);
  await run(fetched, { log: (text: string) => (logged = JSON.parse(text)) });
  const query = (url: string) => [new URL(url).pathname, ...new URL(url).searchParams].map(String);
  expect(asked.map(query)).toEqual(requests.map((request) => query(requestUrl(request, ORIGIN))));
  expect(logged).toHaveLength(requests.length);
});

it("Python code puts the series of days into one table, and keeps tables of blocks separate", () => {
  expect(WRITERS.python(named("?y=volume:$10M%2B"), ORIGIN, "k")).toContain(`
data = series(a="ARIA", m="volume", c="$10M+", r="day")
print(data)
`);
  expect(WRITERS.python(named("?y=volume:$10M%2B&y=sopr"), ORIGIN, "k")).toContain(`
data = pd.concat([
    series(a="ARIA", m="volume", c="$10M+", r="day"),
    series(a="ARIA", m="sopr", c="total", r="day"),
], axis=1)
`);
  expect(WRITERS.python(named("?y=volume&y=sopr:users&r=block"), ORIGIN, "k")).toContain(`data = [
    series(`);
});
