import { describe, expect, it } from "vitest";
import { judge } from "../../../../builder/fetch/chain/scan/second-opinion.ts";

/** What each node says of things a, b, …: a string a node, a letter a thing. */
const said = (...nodes: string[]) => nodes.map((text, node) => ({ node, said: [...text] }));
const wrongOf = (nodes: string[], expected?: string) =>
  judge(said(...nodes), expected === undefined ? undefined : [...expected]);

describe("judge", () => {
  it.each<[string, string[], string | undefined, { wrong: number[]; right: string; isUndecided?: true }]>([
    ["all agree, as expected", ["xy", "xy"], "xy", { wrong: [], right: "xy" }],
    ["all agree, though not as expected: what is expected is wrong", ["xy", "xy"], "xz", { wrong: [], right: "xy" }],
    ["most agree", ["xy", "xz", "xy"], undefined, { wrong: [1], right: "xy" }],
    ["most agree against what is expected", ["xy", "xz", "xy"], "xz", { wrong: [1], right: "xy" }],
    ["one of two says what is expected", ["xy", "xz"], "xz", { wrong: [0], right: "xz" }],
    ["nobody says what is expected", ["xy", "xz"], "xa", { wrong: [], right: "xy", isUndecided: true }],
    ["nothing is expected of two", ["xy", "xz"], undefined, { wrong: [], right: "xy", isUndecided: true }],
    ["who was wrong about one thing has no voice in another", ["ab", "xz"], "xy", { wrong: [0], right: "xz" }],
    ["each is wrong about something", ["ay", "xb"], "xy", { wrong: [1, 0], right: "xy" }],
    ["three say three things", ["x", "y", "z"], undefined, { wrong: [], right: "x", isUndecided: true }],
  ])("%s", (_, nodes, expected, { wrong, right, isUndecided }) => {
    const verdict = wrongOf(nodes, expected);
    expect(verdict.wrong.map(({ node }) => node).sort()).toEqual(wrong.sort());
    expect(verdict.right.join("")).toBe(right);
    expect(verdict.undecided !== undefined).toBe(isUndecided === true);
  });
});
