import { describe, expect, it } from "vitest";
import { LOADING } from "../../../explorer/src/chart-data.ts";
import type { Command } from "../../../explorer/src/commands/command.ts";
import { findCommands, WRITE_FORMULA } from "../../../explorer/src/commands/find.ts";
import { Session } from "../../../explorer/src/session.ts";
import { formatAddress } from "../../../explorer/src/state/address.ts";
import { catalog, everyMetric } from "../catalog.ts";
import { QUESTIONS } from "./questions.ts";

const history = { pushState: () => {}, replaceState: () => {} };
const open = (search: string) => new Session({ catalog, history, load: async () => LOADING, zone: "UTC" }, search);
const ACTIONS: Command[] = [
  { group: "Actions", title: "Whole history", detail: "", words: ["range all"], run: () => {} },
  { group: "Actions", title: "Volume up", detail: "", words: [], run: () => {} },
];
/** The titles that words find, by group. */
const found = (words: string, search = "?y=sopr") =>
  findCommands(open(search).page, words, ACTIONS).groups.map(({ title, commands }) => [
    title,
    ...commands.map((command) => command.title),
  ]);
/** The query string after choosing the first command that words find. */
function choose(words: string, search: string, isAdded = false): string {
  const session = open(search);
  const [command] = findCommands(session.page, words, ACTIONS).groups[0]!.commands;
  (isAdded ? command!.add! : command!.run)(session);
  return formatAddress(session.page.chart);
}

describe("the command palette", () => {
  it("offers everything but metrics before a word is typed", () => {
    expect(found("").map(([group]) => group)).toEqual([
      ...["Formulas", "Families", "Example charts", "Assets", "Actions", "Cohorts"],
    ]);
  });

  it("finds metrics, cohorts, assets and actions, the group with the best match first", () => {
    expect(found("volume").map(([group]) => group)).toEqual(["Metrics", "Actions"]);
    expect(found("whole")[0]).toEqual(["Actions", "Whole history"]);
    expect(found("on-chain volume")).toEqual([["Metrics", "On-chain volume"]]);
    expect(found("duet")).toEqual([["Assets", "DUET · Duet"]]);
    expect(found("range")).toEqual([["Actions", "Whole history"]]);
    expect(found("$10m")[0]).toEqual(["Cohorts", "$10M+"]);
    expect(found("nothing of the kind").map(([group, ...titles]) => [group, titles.length])).toEqual([["Nearest", 3]]);
  });

  it("finds named formulas, as far as the catalog has their metrics", () => {
    expect(found("mayer")).toEqual([["Formulas", "Mayer multiple"]]);
    expect(choose("mayer", "?y=volume")).toBe("?a=ARIA&y=%3Dmayer_multiple");
    // The small catalog has no realised capitalisation.
    expect(found("mvrv").map(([group]) => group)).toEqual(["Metrics"]);
  });

  it("finds families, and offers those of what is shown", () => {
    expect(found("")[1]).toEqual(["Families", "SOPR by wealth", "SOPR by age"]);
    expect(found("volume by")).toEqual([["Families", "On-chain volume by wealth", "On-chain volume by age"]]);
    expect(choose("volume by age", "?y=sopr")).toBe("?a=ARIA&y=volume:*age:stack");
    expect(choose("sopr age", "?y=volume", true)).toBe("?a=ARIA&y=volume:total&y=sopr:*age:lines");
  });

  it("explains a term", () => {
    const { note } = findCommands(open("?y=sopr").page, "nupl", ACTIONS);
    expect(note).toContain("divided by market capitalisation");
  });

  it("offers the cohorts of what is shown", () => {
    const cohorts = (search: string) => found("", search).find(([group]) => group === "Cohorts");
    expect(cohorts("?y=num_transfers")).toEqual(["Cohorts", "All", "$20m+"]);
    expect(cohorts("?y=sc_volume_locked")).toBeUndefined();
  });

  it("shows, adds and switches", () => {
    expect(choose("on-chain volume", "?y=sopr:users")).toBe("?a=ARIA&y=volume:users");
    expect(choose("on-chain volume", "?y=sopr:users", true)).toBe("?a=ARIA&y=sopr:users&y=volume:users");
    expect(choose("users", "?y=sopr&y=volume&y=num_transfers")).toBe("?a=ARIA&y=sopr:users&y=volume:users");
    expect(choose("duet", "?y=sopr")).toBe("?a=DUET&y=sopr:total");
  });

  it("says why a metric can't be added", () => {
    const session = open("?y=sopr&y=volume");
    const [metrics] = findCommands(session.page, "market_cap", ACTIONS).groups;
    metrics!.commands[0]!.add!(session);
    expect(session.page.notes).toEqual([expect.stringContaining("third axis")]);
  });
});

describe("a question", () => {
  const assets = catalog.assets.map((asset) => ({
    ...asset,
    price: { first: 0, last: 1, gaps: [] },
    cohorts: [{ selector: "@team" }],
  }));
  const whole = { ...everyMetric, terms: catalog.terms, assets };
  const { page } = new Session({ catalog: whole, history, load: async () => LOADING, zone: "UTC" }, "?y=market_cap");

  it.each(QUESTIONS)("%s is answered by %s: %s", (question, group, first) => {
    const [answer] = findCommands(page, question, ACTIONS).groups;
    expect([answer?.title, answer?.commands[0]?.title]).toEqual([group, first]);
  });

  it("that finds nothing has the three nearest answers, and a formula", () => {
    const write: Command = { group: "Actions", title: WRITE_FORMULA, detail: "", words: [], run: () => {} };
    const { groups, note } = findCommands(page, "funding rate of perpetuals", [...ACTIONS, write]);
    expect(groups.map(({ title, commands }) => [title, commands.length])).toEqual([
      ["Nearest", 3],
      ["Actions", 1],
    ]);
    expect(note).toContain("come nearest");
  });

  it("of an exchange's or a cohort's formula shows the formula of that", () => {
    const session = new Session({ catalog: whole, history, load: async () => LOADING, zone: "UTC" }, "?y=market_cap");
    findCommands(session.page, "binance netflow", []).groups[0]!.commands[0]!.run(session);
    expect(formatAddress(session.page.chart)).toBe("?a=ARIA&y=%3Dnetflow:binance");
    expect(session.page.traces[0]!.look?.mark).toBe("bars");
  });
});
