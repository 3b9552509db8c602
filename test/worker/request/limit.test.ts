/** Limits on requests, by workerd's own counters, which are reset every minute of the clock. */

import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { apiKeyName } from "../../../data-schema/access/api-keys.ts";
import { ADDRESS_LIMIT, LIMIT_SECONDS, PLANS } from "../../../data-schema/access/plans.ts";
import { networkOf } from "../../../worker/request/limit.ts";
import { countingKeys, failingLimiter } from "../bindings.ts";
import { type Client, type Dependencies, freshIsolate, KEY, putKey } from "../client.ts";
import { at, DAY, publish } from "../token.ts";

const START = at("2022-01-01");
const PATH = "/v1/metrics/volume?a=LIM";
const limits = { LIMIT_FREE: env.LIMIT_FREE, LIMIT_STANDARD: env.LIMIT_STANDARD, LIMIT_ADDRESS: env.LIMIT_ADDRESS };
const limited = (dependencies: Dependencies = {}) => freshIsolate({ limits, ...dependencies });

beforeAll(async () => {
  await putKey();
  await publish(env.BUCKET, {
    symbol: "LIM",
    metrics: ["volume"],
    periods: { day: [{ name: "all", from: START, to: START + 400 * DAY }] },
    range: { day: [START, START] },
    series: () => [{ t: START, v: 1 }],
  });
});

/** A new key of a plan; each key has its own counters. */
async function newKey(plan?: string, isPublic?: true): Promise<string> {
  const key = crypto.randomUUID();
  await putKey(key, { id: key.slice(0, 8), plan, public: isPublic });
  return key;
}

/** An address that no other test has. */
const newAddress = () => `198.51.100.${crypto.randomUUID()}`;

/** Repeats the work until all of it falls within one window. */
async function inOneWindow<T>(work: () => Promise<T>): Promise<T> {
  const window = () => Math.floor(Date.now() / (1000 * LIMIT_SECONDS));
  for (;;) {
    const before = window();
    const result = await work();
    if (window() === before) return result;
  }
}

/** The responses to consecutive requests. */
async function ask(client: Client, times: number, path: string, headers: Record<string, string> = {}) {
  const responses: Response[] = [];
  for (let i = 0; i < times; i++) responses.push(await client.fetch(path, { headers }));
  return responses;
}

const statuses = (responses: readonly Response[]) => responses.map(({ status }) => status);
const times = (count: number, status: number) => Array<number>(count).fill(status);

describe.each(PLANS.filter(({ binding }) => binding !== null))("the plan $name", ({ name, requests }) => {
  const policy = `"${name}";q=${requests};w=60`;

  it(`answers ${requests} requests a minute, and no more`, async () => {
    const responses = await inOneWindow(async () =>
      ask(limited(), requests + 3, `${PATH}&api_key=${await newKey(name)}`),
    );
    expect(statuses(responses)).toEqual([...times(requests, 200), ...times(3, 429)]);
    expect(responses[0]!.headers.get("RateLimit-Policy")).toBe(policy);
    const refused = responses.at(-1)!;
    expect(await refused.json()).toEqual({
      type: "/problems/too-many-requests",
      title: "Too many requests",
      status: 429,
      detail: `The plan ${name} has ${requests} requests a minute. Try again in a minute.`,
    });
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      "retry-after": "60",
      "ratelimit-policy": policy,
      "cache-control": "no-store",
      "access-control-allow-origin": "*",
    });
  });
});

describe("a key", () => {
  it("is counted by itself, whatever is requested", async () => {
    const got = await inOneWindow(async () => {
      const [one, other] = [await newKey("free"), await newKey("free")];
      const client = limited();
      const first = await ask(client, 60, `/v1/metrics/volume?a=NONE&api_key=${one}`);
      const [last] = await ask(client, 1, `${PATH}&q=1`, { "X-Api-Key": one });
      const [next] = await ask(client, 1, PATH, { Authorization: `Bearer ${other}` });
      return statuses([...first, last!, next!]);
    });
    expect(got).toEqual([...times(60, 404), 429, 200]);
  });

  it.each([
    ["no plan has the standard one", undefined, '"standard";q=600;w=60'],
    ["a plan that is no more has the standard one", "gold", '"standard";q=600;w=60'],
    ["the unlimited plan has no policy", "unlimited", null],
  ])("of %s", async (_, plan, policy) => {
    const [response] = await ask(limited(), 1, `${PATH}&api_key=${await newKey(plan)}`);
    expect(response!.headers.get("RateLimit-Policy")).toBe(policy);
  });

  it("is told its policy in a 304, too", async () => {
    const [response] = await ask(limited(), 1, `${PATH}&api_key=${await newKey("free")}`, { "If-None-Match": "*" });
    expect([response!.status, response!.headers.get("RateLimit-Policy")]).toEqual([304, '"free";q=60;w=60']);
  });

  it("has no limit if there is no limiter", async () => {
    const responses = await ask(freshIsolate(), 70, `${PATH}&api_key=${await newKey("free")}`);
    expect(statuses(responses)).toEqual(times(70, 200));
    expect(responses[0]!.headers.get("RateLimit-Policy")).toBeNull();
  });

  it("is answered while the limiter is out of reach", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const client = limited({ limits: { LIMIT_FREE: failingLimiter(env.LIMIT_FREE) } });
    const key = await newKey("free");
    expect(statuses(await ask(client, 1, `${PATH}&api_key=${key}`))).toEqual([200]);
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      {
        event: "failure",
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        kind: "limiter-unavailable",
        cause: "internal error; reference = 0",
      },
    ]);
    log.mockRestore();
  });
});

describe("a public key", () => {
  const STANDARD = 600;
  const from = (address: string) => ({ "CF-Connecting-IP": address });

  it("has the plan's limit for each address: no visitor locks out another", async () => {
    const got = await inOneWindow(async () => {
      const client = limited();
      const path = `${PATH}&api_key=${await newKey("standard", true)}`;
      const [one, other] = [newAddress(), newAddress()];
      const first = await ask(client, STANDARD + 20, path, from(one));
      const [second] = await ask(client, 1, path, from(other));
      const [again] = await ask(client, 1, path, from(one));
      return { first, second: second!, again: again! };
    });
    expect(statuses(got.first)).toEqual([...times(STANDARD, 200), ...times(20, 429)]);
    expect([got.second.status, got.again.status]).toEqual([200, 429]);
    expect(got.second.headers.get("RateLimit-Policy")).toBe('"standard";q=600;w=60');
    expect(await got.again.json()).toMatchObject({
      type: "/problems/too-many-requests",
      detail: "With this public API key, an address has 600 requests a minute. Try again in a minute.",
    });
  });

  it("counts the addresses of one IPv6 network together, and a request without an address by the key", async () => {
    const got = await inOneWindow(async () => {
      const client = limited();
      const path = `${PATH}&api_key=${await newKey("free", true)}`;
      const network = `2001:db8:${crypto.randomUUID().slice(0, 4)}:${crypto.randomUUID().slice(0, 4)}`;
      const first = await ask(client, 60, path, from(`${network}::1`));
      const neighbour = await ask(client, 1, path, from(`${network}:a:b:c:d`));
      const own = await ask(client, 61, path);
      return statuses([...first, ...neighbour, ...own]);
    });
    expect(got).toEqual([...times(60, 200), 429, ...times(60, 200), 429]);
  });

  it("that is not marked as public is counted by itself, whatever the address", async () => {
    const got = await inOneWindow(async () => {
      const client = limited();
      const path = `${PATH}&api_key=${await newKey("free")}`;
      const one = await ask(client, 60, path, from(newAddress()));
      return statuses([...one, ...(await ask(client, 1, path, from(newAddress())))]);
    });
    expect(got).toEqual([...times(60, 200), 429]);
  });
});

describe("an address", () => {
  const { requests } = ADDRESS_LIMIT;
  const from = (address: string) => ({ "CF-Connecting-IP": address });

  it("may guess keys up to the limit; then KV is not read", async () => {
    const got = await inOneWindow(async () => {
      const { keys, reads } = countingKeys(env.KEYS);
      const client = limited({ keys });
      const address = newAddress();
      const responses: Response[] = [];
      for (let i = 0; i < requests + 3; i++) {
        responses.push(...(await ask(client, 1, `${PATH}&api_key=${crypto.randomUUID()}`, from(address))));
      }
      return { responses, reads: reads() };
    });
    expect(statuses(got.responses)).toEqual([...times(requests, 401), ...times(3, 429)]);
    expect(got.reads).toBe(requests);
    const refused = got.responses.at(-1)!;
    expect(refused.headers.get("RateLimit-Policy")).toBe('"address";q=120;w=60');
    expect(refused.headers.get("Retry-After")).toBe("60");
    expect(await refused.json()).toMatchObject({ type: "/problems/too-many-requests" });
  });

  it("may guess keys up to the limit where none is needed, many at once", async () => {
    const got = await inOneWindow(async () => {
      const { keys, reads } = countingKeys(env.KEYS);
      const client = limited({ keys });
      const headers = from(newAddress());
      const guess = () => client.fetch("/v3/metrics", { headers: { ...headers, "X-Api-Key": crypto.randomUUID() } });
      const responses = await Promise.all(Array.from({ length: requests + 100 }, guess));
      return { statuses: statuses(responses).toSorted(), reads: reads() };
    });
    expect(got.statuses).toEqual([...times(requests, 200), ...times(100, 429)]);
    expect(got.reads).toBeLessThanOrEqual(requests);
  });

  it("with a valid key is counted by it where none is needed, once the isolate knows the key", async () => {
    const got = await inOneWindow(async () => {
      const client = limited();
      const headers = { ...from(newAddress()), "X-Api-Key": await newKey("standard") };
      const known = await ask(client, requests + 10, "/v3/metrics", headers);
      const others = await ask(client, requests, "/v3/metrics", from(headers["CF-Connecting-IP"]));
      return statuses([...known, ...others]);
    });
    expect(got).toEqual([...times(requests + 10, 200), ...times(requests - 1, 200), 429]);
  });

  it.each([
    ["an unknown path", "/none", 404],
    ["an unknown metric", "/v1/metrics/none?a=LIM", 404],
    ["an unknown metric of the catalog", "/v3/metrics/none", 404],
    ["an unknown distribution", "/v3/distributions/none", 404],
    ["an unknown file", "/v3/files/LIM/day/sopr/none", 404],
    ["an unknown problem", "/problems/none", 404],
    ["a page that is not there", "/boards/none", 404],
    ["the page", "/", 404],
    ["a redirect", "/docs/", 307],
    ["health", "/health", 200],
  ])("is counted for %s, without a read of KV", async (_, path, status) => {
    const got = await inOneWindow(async () => {
      const { keys, reads } = countingKeys(env.KEYS);
      const client = limited({ keys });
      const headers = { ...from(newAddress()), "X-Api-Key": KEY };
      return { statuses: statuses(await ask(client, requests + 2, path, headers)), reads: reads() };
    });
    expect(got).toEqual({ statuses: [...times(requests, status), 429, 429], reads: 0 });
  });

  it("is counted for a method that there is not", async () => {
    const got = await inOneWindow(async () => {
      const client = limited();
      const headers = from(newAddress());
      const post = () => client.fetch(PATH, { method: "POST", headers });
      const responses: Response[] = [];
      for (let i = 0; i <= requests; i++) responses.push(await post());
      return statuses(responses);
    });
    expect(got).toEqual([...times(requests, 405), 429]);
  });

  it.each([
    ["no key", async () => `${PATH}&api_key=`, 401],
    ["what is no key", async () => `${PATH}&api_key=demo`, 401],
    ["two keys", async () => `${PATH}&api_key=a&api_key=b`, 400],
    [
      "a key that is revoked, and known to be",
      async () => {
        const key = await newKey();
        await putKey(key, { status: "revoked" });
        return `${PATH}&api_key=${key}`;
      },
      403,
    ],
  ])("with %s is counted", async (_, path, status) => {
    const responses = await inOneWindow(async () => ask(limited(), requests + 1, await path(), from(newAddress())));
    expect(statuses(responses)).toEqual([...times(requests, status), 429]);
  });

  it("with a key that this isolate has cached is not counted; other addresses have their own counters", async () => {
    const got = await inOneWindow(async () => {
      const client = limited();
      const [address, other] = [newAddress(), newAddress()];
      const good = `${PATH}&api_key=${await newKey("unlimited")}`;
      const first = await ask(client, requests + 10, good, from(address));
      const bad = await ask(client, requests, `${PATH}&api_key=demo`, from(address));
      const known = await ask(client, 1, good, from(address));
      const [elsewhere] = await ask(client, 1, `${PATH}&api_key=demo`, from(other));
      return statuses([...first, ...bad, ...known, elsewhere!]);
    });
    // The first request was counted: the isolate had not cached its key yet.
    expect(got).toEqual([...times(requests + 10, 200), ...times(requests - 1, 401), 429, 200, 401]);
  });

  it("is not counted when a valid key is read again, until the key is no longer valid", async () => {
    const got = await inOneWindow(async () => {
      let later = 0;
      const client = limited({ now: () => Date.now() + later });
      const address = newAddress();
      const key = await newKey("unlimited");
      const good = `${PATH}&api_key=${key}`;
      const first = await ask(client, 1, good, from(address));
      const bad = await ask(client, requests, `${PATH}&api_key=demo`, from(address));
      later += 31_000;
      const again = await ask(client, 2, good, from(address));
      await env.KEYS.delete(await apiKeyName(key));
      later += 31_000;
      const gone = await ask(client, 2, good, from(address));
      return statuses([...first, ...bad, ...again, ...gone]);
    });
    expect(got).toEqual([200, ...times(requests - 1, 401), 429, 200, 200, 401, 429]);
  });

  it("that is unknown is not counted", async () => {
    expect(statuses(await ask(limited(), requests + 1, `${PATH}&api_key=demo`))).toEqual(times(requests + 1, 401));
  });
});

describe("a network", () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  const address = fc.tuple(group, group, group, group, group, group, group, group);
  /** With zeros, so that there is something to abbreviate. */
  const sparse = fc
    .tuple(address, fc.nat(7), fc.nat(8))
    .map(([groups, from, length]) => groups.map((value, i) => (i >= from && i < from + length ? 0 : value)));
  const long = (groups: readonly number[]) => groups.map((value) => value.toString(16).padStart(4, "0")).join(":");
  /** Abbreviated by the URL parser. */
  const short = (groups: readonly number[]) => new URL(`http://[${long(groups)}]`).hostname.slice(1, -1);

  it("is the first half of an IPv6 address, however it is written", () => {
    fc.assert(
      fc.property(sparse, address, (groups, rest) => {
        const expected = groups
          .slice(0, 4)
          .map((value) => value.toString(16))
          .join(":");
        expect(networkOf(long(groups))).toBe(expected);
        expect(networkOf(short(groups))).toBe(expected);
        expect(networkOf(short(groups).toUpperCase())).toBe(expected);
        expect(networkOf(long([...groups.slice(0, 4), ...rest.slice(4)]))).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["::1", "0:0:0:0"],
    ["::", "0:0:0:0"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["0:0:0:0:0:FFFF:198.51.100.7", "198.51.100.7"],
  ])("of %s is %s", (written, network) => {
    expect(networkOf(written)).toBe(network);
  });
});
