import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
