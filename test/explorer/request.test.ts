import { stripTypeScriptTypes } from "node:module";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  rangeBounds,
  requestUrl,
  type SeriesRequest,
  seriesRequest,
  visibleBounds,
} from "../../explorer/src/request.ts";
import { isLanguage, KEY_PLACEHOLDER, LANGUAGES, type Language, snippet } from "../../explorer/src/snippets.ts";
import { parseState } from "../../explorer/src/state.ts";
import { catalog, states } from "./catalog.ts";

const ORIGIN = "https://soprano.test";
const [aria] = catalog.assets;

function request(search: string): SeriesRequest {
  const { state } = parseState(search, catalog, []);
  return seriesRequest(state.series[0], state, catalog, visibleBounds(state, aria));
}

it.each([
  ["?y=sopr", "/v1/metrics/sopr?a=ARIA&c=total&r=day"],
  ["?y=market_cap:users", "/v1/metrics/market_cap?a=ARIA&c=users"],
  ["?y=sc_volume_locked", "/v1/metrics/sc_volume_locked?a=ARIA"],
  ["?y=num_transfers:$20m%2B&r=hour", "/v1/metrics/num_transfers?a=ARIA&t=$20m%2B&r=hour&s=2025-10-03"],
  ["?y=volume:<1d&range=30d", "/v1/metrics/volume?a=ARIA&c=%3C1d&r=day&s=2025-12-02"],
  ["?y=volume&s=2025-01-01&u=2025-02-01", "/v1/metrics/volume?a=ARIA&c=total&r=day&s=2025-01-01&u=2025-02-01"],
  [
    "?y=volume&z=2025-01-01,2025-02-01T10:30:15",
    "/v1/metrics/volume?a=ARIA&c=total&r=day&s=2025-01-01&u=2025-02-01T10:30:15",
  ],
])("%s asks for %s", (search, url) => {
  expect(requestUrl(request(search), "")).toBe(url);
});

it("a length of time ends with the last bucket and has as many days as it says", () => {
  const { state } = parseState("?y=sopr&range=7d", catalog, []);
  expect(rangeBounds(state, aria)).toEqual({ since: Date.UTC(2025, 11, 25) / 1000, until: null });
});

it("a URL reads back as the parameters it was made of", () => {
  fc.assert(
    fc.property(states, (state) => {
      const asked = seriesRequest(state.series[0], state, catalog, visibleBounds(state, aria));
      const url = new URL(requestUrl(asked, ORIGIN, { api_key: "x", f: "csv" }));
      expect([...url.searchParams]).toEqual([["api_key", "x"], ["f", "csv"], ...asked.query]);
      expect(url.pathname).toBe(asked.path);
    }),
  );
});

const named = (search: string) => {
  const { state } = parseState(search, catalog, []);
  return state.series.map((choice) => ({
    name: `${choice.metric} ${choice.selector}`,
    request: seriesRequest(choice, state, catalog, visibleBounds(state, aria)),
  }));
};

it("snippets hold the placeholder, and no key but the one they are given", () => {
  for (const language of Object.keys(LANGUAGES) as Language[]) {
    expect(snippet(language, named("?y=sopr&y=sopr:users"), ORIGIN, KEY_PLACEHOLDER)).toContain(KEY_PLACEHOLDER);
    expect(snippet(language, named("?y=sopr"), ORIGIN, "real-key")).toContain("real-key");
  }
});

it("curl's URLs stand between quotes, a line each", () => {
  expect(snippet("curl", named("?y=volume:$10M%2B&y=volume"), ORIGIN, "k")).toBe(
    `curl -H 'X-Api-Key: k' 'https://soprano.test/v1/metrics/volume?f=csv&a=ARIA&c=$10M%2B&r=day'
curl -H 'X-Api-Key: k' 'https://soprano.test/v1/metrics/volume?f=csv&a=ARIA&c=total&r=day'`,
  );
});

it("only the plain URL holds the key: elsewhere it is a header", () => {
  for (const language of Object.keys(LANGUAGES) as Language[]) {
    const text = snippet(language, named("?y=sopr"), ORIGIN, "k");
    expect({ language, inUrl: text.includes("api_key") }).toEqual({ language, inUrl: language === "url" });
    expect({ language, inHeader: text.includes("X-Api-Key") }).toEqual({ language, inHeader: language !== "url" });
  }
});

it("TypeScript runs, and asks for the series of the chart", async () => {
  const requests = named("?y=volume:<1d&y=num_transfers:$20m%2B&s=2025-01-01");
  const code = stripTypeScriptTypes(snippet("typescript", requests, ORIGIN, "k"));
  const asked: string[] = [];
  const fetched = async (url: string, { headers }: RequestInit) => {
    expect(headers).toEqual({ "X-Api-Key": "k" });
    asked.push(url);
    return Response.json([{ t: "2025-01-01T00:00:00", v: 1 }]);
  };
  let logged: unknown;
  const run = new Function("fetch", "console", `return (async () => {${code}})()`);
  await run(fetched, { log: (data: unknown) => (logged = data) });
  const query = (url: string) => [new URL(url).pathname, ...new URL(url).searchParams].map(String);
  expect(asked.map(query)).toEqual(requests.map(({ request }) => query(requestUrl(request, ORIGIN))));
  expect(Object.keys(logged as object)).toEqual(["volume <1d", "num_transfers $20m+"]);
});

it("Python names series of days in a table, and keeps series of blocks apart", () => {
  expect(snippet("python", named("?y=volume:$10M%2B"), ORIGIN, "k")).toContain(`data = pd.DataFrame(
    {
        "volume $10M+": series("/v1/metrics/volume", a="ARIA", c="$10M+", r="day"),
    }
)
print(data)
`);
  expect(snippet("python", named("?y=volume&r=block"), ORIGIN, "k")).toContain(`data = {
    "volume total": series(`);
});

it("a language is one of the table's own", () => {
  expect(Object.keys(LANGUAGES).every(isLanguage)).toBe(true);
  for (const text of [null, "", "constructor", "__proto__"]) expect(isLanguage(text)).toBe(false);
});
