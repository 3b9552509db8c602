import { expect, it } from "vitest";
import { type DigestedFile, type KnownFile, matchFiles } from "../../../builder/input/files/known-files.ts";

const known = (file: string, sha256: string, role: KnownFile["role"] = "transfers"): KnownFile => ({
  role,
  file,
  sha256,
  bytes: 1,
  rows: 1,
});
const today = (name: string, sha256: string, more: Partial<DigestedFile> = {}): DigestedFile => ({
  role: "transfers",
  name,
  sha256,
  ...more,
});

const CASES: [
  what: string,
  known: KnownFile[],
  today: DigestedFile[],
  matches: [string?, boolean?][],
  unmatched: string[],
][] = [
  ["the same file", [known("a", "1")], [today("a", "1")], [["a", true]], []],
  ["a renamed file", [known("a", "1")], [today("b", "1")], [["a", true]], []],
  ["a file that has grown", [known("a", "1")], [today("a", "2", { prefixSha256: "1" })], [["a", false]], []],
  [
    "a file that has grown under another name",
    [known("a", "1")],
    [today("b", "2", { prefixSha256: "1" })],
    [[]],
    ["a"],
  ],
  ["a file that has changed", [known("a", "1")], [today("a", "2")], [[]], ["a"]],
  ["a new file", [known("a", "1")], [today("a", "1"), today("b", "2")], [["a", true], []], []],
  ["two copies of one file", [known("a", "1")], [today("a", "1"), today("b", "1")], [["a", true], []], []],
  ["a file in another role", [known("a", "1", "blocks")], [today("a", "1")], [[]], ["a"]],
];

it.each(CASES)("%s is matched", (_, before, now, matches, unmatched) => {
  const found = matchFiles(before, now);
  expect(found.matches.map(({ known, isSame }) => (known ? [known.file, isSame] : []))).toEqual(matches);
  expect(found.unmatched.map(({ file }) => file)).toEqual(unmatched);
});
