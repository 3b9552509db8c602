import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readRules } from "../../builder/alerts/alert-rules.ts";

const folder = mkdtempSync(join(tmpdir(), "soprano-alerts-"));
afterAll(() => rmSync(folder, { recursive: true }));

const FILE = join(folder, "ALERTS.json");
const RULE = { name: "Loss", assets: ["aria"], when: "smooth(sopr:lth, 7) < 1", post: "SLACK_URL" };

function read(content: unknown) {
  writeFileSync(FILE, typeof content === "string" ? content : JSON.stringify(content));
  return readRules(FILE);
}
const fault = async (content: unknown) => {
  const error = await read(content).then(
    () => new Error("it was read"),
    (failure: Error) => failure,
  );
  return error.message.replace(`${FILE}: `, "");
};

it("fills in what is left out", async () => {
  const { site, rules } = await read({
    site: "https://metrics.example.com/",
    rules: [RULE, { ...RULE, name: "All", assets: "*", for: 3 }],
  });
  expect(site).toBe("https://metrics.example.com");
  expect(rules).toMatchObject([
    { name: "Loss", assets: ["ARIA"], rows: 1, resolution: "day", format: "json" },
    { name: "All", assets: null, rows: 3 },
  ]);
});

it("reads all rules of docs/alerts.md", async () => {
  const page = readFileSync(new URL("../../docs/alerts.md", import.meta.url), "utf8");
  const files = [...page.matchAll(/```json\n(.*?)```/gs)]
    .map(([, text]) => text!)
    .filter((text) => /"rules"/.test(text));
  const kinds = new Set<string>();
  for (const text of files) for (const { kind } of (await read(text)).rules) kinds.add(kind);
  expect([...kinds]).toEqual(["series", "transfers", "holder"]);
});

it("reads amounts, parties and shares", async () => {
  const { when: _, ...rule } = RULE;
  const address = `0x${"Ab".repeat(20)}`;
  const { rules } = await read({
    rules: [
      { ...rule, name: "A", transfers: { "at least": "$1.5M", from: "@team", to: "binance" } },
      { ...rule, name: "B", transfers: { "at least": "1,250,000.5", from: "mint", to: address } },
      { ...rule, name: "C", transfers: { "at least": "20k" } },
      { ...rule, name: "D", holder: address, "changes by": "2.50 %" },
      { ...rule, name: "E", holder: address },
    ],
  });
  const lower = address.toLowerCase();
  expect(rules.map(({ when }) => when)).toEqual([
    "transfers of at least $1,500,000 from @team to binance",
    `transfers of at least 1,250,000.5 tokens from mint to ${lower}`,
    "transfers of at least 20,000 tokens",
    `balance of ${lower} changes by 2.5 %`,
    `balance of ${lower} changes by 10 %`,
  ]);
  expect(rules[0]).toMatchObject({
    kind: "transfers",
    terms: { atLeast: { amount: 1_500_000, of: "dollars" }, from: "@team", to: "binance" },
  });
  expect(rules[3]).toMatchObject({
    kind: "holder",
    terms: { address: lower, share: { numerator: 250n, denominator: 10_000n } },
  });
});

const PARTY =
  "users, sc, cex, an exchange such as binance, an own cohort such as @team, burn, or an address, 0x and 40 hexadecimal digits";
const ofTransfers = (transfers: unknown) => ({ ...RULE, when: undefined, transfers });
it.each([
  [{ ...RULE, when: undefined }, 'rule "Loss" must have one of when, transfers, holder, and only one.'],
  [{ ...RULE, transfers: { "at least": "$1" } }, 'rule "Loss" must have one of when, transfers, holder, and only one.'],
  [{ ...ofTransfers({ "at least": "1" }), for: 2 }, '"for" of rule "Loss" goes with when: remove it.'],
  [{ ...RULE, "changes by": "5 %" }, '"changes by" of rule "Loss" goes with holder: remove it.'],
  [
    ofTransfers("$1M"),
    'transfers of rule "Loss" must be an object such as {"at least": "$1M", "from": "cex", "to": "@team"}.',
  ],
  [
    ofTransfers({ from: "cex" }),
    '"at least" in transfers of rule "Loss" must be an amount of dollars or tokens above 0, such as "$1M" or "500000".',
  ],
  ...["1e6", "$0", "-1", "1,00", "€5", 500_000].map((amount) => [
    ofTransfers({ "at least": amount }),
    '"at least" in transfers of rule "Loss" must be an amount of dollars or tokens above 0, such as "$1M" or "500000".',
  ]),
  [ofTransfers({ "at least": "1", size: 2 }), '"size" in transfers of rule "Loss" is unknown: remove it.'],
  [
    ofTransfers({ "at least": "1", to: "binanse" }),
    `"to" in transfers of rule "Loss" must be ${PARTY} (did you mean binance?).`,
  ],
  ...["mint", "@My team", "total", "all", "0x12", `0x${"0".repeat(40)}`, ""].map((to) => [
    ofTransfers({ "at least": "1", to }),
    expect.stringContaining(`"to" in transfers of rule "Loss" must be ${PARTY}`),
  ]),
  [
    { ...RULE, when: undefined, holder: "0x12" },
    'holder of rule "Loss" must be an address that can hold tokens: 0x and 40 hexadecimal digits.',
  ],
  ...["5", "0 %", "five %", "-5 %"].map((share) => [
    { ...RULE, when: undefined, holder: `0x${"a".repeat(40)}`, "changes by": share },
    'changes by of rule "Loss" must be a share of the balance before in quotes, such as "5 %".',
  ]),
])("%j", async (rule, message) => {
  expect(await fault({ rules: [rule] })).toEqual(message);
});

it.each([
  [
    { ...RULE, when: "mvrv" },
    'when of rule "Loss": A condition compares two formulas, as in mvrv < 1. See its character 1.',
  ],
  [
    { ...RULE, when: "1 < 2" },
    'when of rule "Loss": A comparison needs a metric, not only numbers. See its character 1.',
  ],
  [
    { ...RULE, when: "1 < mvrw" },
    'when of rule "Loss": There is no metric mvrw. Did you mean mvrv? See its character 5.',
  ],
  [
    { ...RULE, when: "mvrv < 1 < 2" },
    'when of rule "Loss": A comparison stands at the beginning of if, as in if(a < b, x, y). See its character 10.',
  ],
  [
    { ...RULE, when: "supply < 1", resolution: "hour" },
    'when of rule "Loss": a formula of supply is not available by hour: choose one of day, week, month.',
  ],
  [
    { ...RULE, post: "https://hooks.example.com/secret" },
    'post of rule "Loss" must be the name of an environment variable that holds the URL, such as SLACK_URL.',
  ],
  [{ ...RULE, for: 0 }, 'for of rule "Loss" must be a whole number from 1 to 10000.'],
  [{ ...RULE, resolution: "block" }, 'resolution of rule "Loss" must be one of day, hour, week, month.'],
  [{ ...RULE, format: "email" }, 'format of rule "Loss" must be one of json, slack, discord, telegram.'],
  [{ ...RULE, assets: [] }, 'assets of rule "Loss" must be "*", or a list of symbols, such as ["ARIA"].'],
  [{ ...RULE, colour: 1 }, 'rule "Loss" has an unknown field "colour": remove it.'],
  [
    { assets: "*", when: "mvrv < 1", post: "A" },
    "name of rule number 1 must be one line of text, of at most 200 characters.",
  ],
  ["mvrv", "rule number 1 must be an object with name, assets, when and post."],
])("%j", async (rule, message) => {
  expect(await fault({ rules: [rule] })).toBe(message);
});

it.each([
  [{}, "rules must be a list of 1 to 1000 rules."],
  [{ rules: [] }, "rules must be a list of 1 to 1000 rules."],
  [{ rules: [RULE], site: "example" }, "site must be a URL, such as https://metrics.example.com."],
  [{ rules: [RULE], sites: 1 }, 'there is no field "sites": remove it.'],
  [{ rules: [RULE, RULE] }, 'two rules are called "Loss": give each a name of its own.'],
])("%j", async (file, message) => {
  expect(await fault(file)).toBe(message);
});

it("says what can't be read", async () => {
  expect(await fault("{")).toMatch(/ALERTS\.json is not JSON \(.*\): mend it\.$/);
  await expect(readRules(join(folder, "none.json"))).rejects.toThrow(
    "none.json can't be read (ENOENT): name a file of rules",
  );
});
