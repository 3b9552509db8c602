import { expect, it } from "vitest";
import type { SeriesRule, TransfersRule } from "../../builder/alerts/alert-rules.ts";
import { bodyOf } from "../../builder/alerts/message.ts";
import type { Format } from "../../builder/alerts/receivers.ts";
import { readCondition } from "../../data-schema/formula/condition.ts";
import { FORMULA_NAMES } from "../../data-schema/formula/measures.ts";

const SITE = "https://metrics.example.com";
const MANIFEST = { build: "64874e0a1b2c3d4e", chain: "ethereum" };
const FIRING = { t: Date.UTC(2026, 10, 24) / 1000, left: 0.98765432, right: 1 };

function body(
  format: Format,
  when: string,
  site: string | null = SITE,
  name = "Loss & <worse>",
): Record<string, unknown> {
  const condition = readCondition(when, FORMULA_NAMES);
  const rule: SeriesRule = {
    kind: "series",
    name,
    assets: null,
    when,
    condition,
    rows: 1,
    resolution: "day",
    post: "HOOK",
    format,
  };
  return JSON.parse(
    bodyOf({ kind: "series", rule, firing: FIRING, asset: "ARIA" }, { manifest: MANIFEST, site }),
  ) as Record<string, unknown>;
}

it("names the rule, the asset, the day and both sides, with the chart", () => {
  const sentence = "Loss & <worse>: ARIA, 2026-11-24. mvrv = 0.987654 < 1";
  const link = `${SITE}/?a=ARIA&y=%3Dmvrv`;
  expect(body("telegram", "mvrv < 1")).toEqual({ text: `${sentence}\n${link}` });
  expect(body("telegram", "mvrv < 1", null)).toEqual({ text: sentence });
  expect(body("discord", "mvrv < 1")).toEqual({ content: `${sentence}\n${link}`, allowed_mentions: { parse: [] } });
  expect(body("slack", "mvrv < 1", null)).toEqual({
    text: "Loss &amp; &lt;worse&gt;: ARIA, 2026-11-24. mvrv = 0.987654 &lt; 1",
  });
  expect(body("json", "mvrv < 1")).toMatchObject({ left: FIRING.left, right: 1, t: "2026-11-24T00:00:00", link });
});

it("mentions nobody, and is no longer than Discord takes, whatever the rule is called", () => {
  const condition = `${"1*".repeat(496)}mvrv`;
  const { content } = body("discord", `${condition} < 1`, SITE, "@".repeat(200));
  expect(String(content).length).toBeLessThan(2000);
  for (const format of ["slack", "discord", "telegram"] as const) {
    const { text, content: said = text } = body(format, "mvrv < 1", null, "<@U1> @here <!channel> **MVRV**");
    expect(said).not.toMatch(/@\w/);
    expect(format === "slack" ? said : "").not.toContain("<");
  }
});

it("is no longer than Discord takes: it has no link to a chart of a very long formula", () => {
  // A condition has at most 1,000 characters.
  const long = `${Array.from({ length: 124 }, () => "price").join(" + ")} < 1`;
  expect(String(body("telegram", long).text)).toContain(SITE);
  const { content } = body("discord", long);
  expect(String(content)).not.toContain(SITE);
  expect(String(content).length).toBeLessThan(2000);
});

it("is no longer than Discord takes, whoever sends how much to whom", () => {
  const party = {
    address: `0x${"a".repeat(40)}`,
    label: "deposit address of binance_us",
    cohorts: Array.from({ length: 32 }, (_, at) => `@${"_".repeat(30)}${at}`),
  };
  const rule: TransfersRule = {
    kind: "transfers",
    name: "@".repeat(200),
    assets: null,
    when: "transfers of at least 1 tokens",
    terms: { atLeast: { amount: 1, of: "tokens" }, from: undefined, to: undefined },
    rows: 1,
    resolution: "day",
    post: "HOOK",
    format: "discord",
  };
  const transfer = { t: FIRING.t, block: 2 ** 53 - 1, logIndex: 1, tokens: 2 ** 256, price: 1e12, hash: null };
  const firing = { ...transfer, from: party, to: party };
  const told = { manifest: MANIFEST, site: SITE };
  const { content } = JSON.parse(bodyOf({ kind: "transfers", rule, firing, asset: "A".repeat(20) }, told));
  expect(String(content).length).toBeLessThan(2000);
  expect(content).not.toMatch(/@\w/);
});
