/**
 * Resolves every link of the Markdown pages, every path and script that they name, and every citation in a comment. A
 * comment cites only what the repository has: a page of docs/, a section of docs/methodology.md, or an RFC.
 */

import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const GENERATED = [
  "node_modules",
  ".git",
  ".wrangler",
  ".demo",
  ".bench",
  "dist",
  "dist-package",
  "screenshots",
  "results.json",
];

const list = (pattern: string): string[] =>
  globSync(pattern, { cwd: PROJECT, exclude: (path) => GENERATED.includes(basename(path)) })
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
const read = (path: string): string => readFileSync(join(PROJECT, path), "utf8");

const pages = [...list("**/*.md"), ...list(".github/**/*.md")];
const sources = [
  ...list("{bench,builder,data-schema,examples,explorer,test,worker}/**/*.{ts,js,css,html,py,sql}"),
  ...list(".github/**/*.{ts,yml}"),
  ...list("*.{ts,toml}"),
].filter((path) => path !== "test/docs/links.test.ts");

/** Replaces what a pattern matches with spaces, so that positions stay the same. */
const blank = (text: string, pattern: RegExp): string => text.replace(pattern, (match) => match.replace(/[^\n]/g, " "));

const withoutFences = (markdown: string): string => blank(markdown, /^( *)```[\s\S]*?^ *```/gm);

/** The anchors that GitHub gives to a page's headings. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of withoutFences(read(page)).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const text = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = text.replace(/[^\p{L}\p{M}\p{N}_\- ]/gu, "").replaceAll(" ", "-");
    let anchor = slug;
    for (let repeat = 1; anchors.has(anchor); repeat++) anchor = `${slug}-${repeat}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** What is wrong with a reference to a file of the repository; undefined if it resolves. */
function unresolved(path: string, anchor: string | undefined): string | undefined {
  if (!existsSync(join(PROJECT, path))) return `${path} does not exist`;
  if (anchor && path.endsWith(".md") && !anchorsOf(path).has(anchor)) return `${path} has no section #${anchor}`;
  return undefined;
}

/** What `find` says of the matches of a pattern in a file, each with the file and line. */
function findFaults(
  path: string,
  text: string,
  pattern: RegExp,
  find: (match: RegExpExecArray) => string | undefined,
): string[] {
  return Array.from(text.matchAll(pattern)).flatMap((match) => {
    const fault = find(match);
    const line = text.slice(0, match.index).split("\n").length;
    return fault ? [`${path}, line ${line}: ${fault}`] : [];
  });
}

it("resolves every link of every page", () => {
  const faults = pages.flatMap((page) => {
    const text = blank(withoutFences(read(page)), /`[^`\n]*`/g);
    const links = /\]\((?<markdown>[^)\s]+)\)|(?:src|srcset|href)="(?<html>[^"]+)"/g;
    return findFaults(page, text, links, ({ groups }) => {
      const target = groups!.markdown ?? groups!.html!;
      if (/^[a-z]+:/.test(target)) return URL.canParse(target) ? undefined : `${target} is not a URL`;
      const [path, anchor] = target.split("#");
      return unresolved(path ? normalize(join(dirname(page), path)) : page, anchor);
    });
  });
  expect(faults).toEqual([]);
});

it("finds every path and npm script that a page names", () => {
  const { scripts } = JSON.parse(read("package.json"));
  // The changelog names files and scripts as they were; GENERATED names what no clone has.
  const faults = pages
    .filter((page) => page !== "CHANGELOG.md")
    .flatMap((page) => [
      ...findFaults(
        page,
        read(page),
        /`((?:bench|builder|data-schema|docs|examples|explorer|test|worker)\/[\w./-]*)`/g,
        ([, path]) => (GENERATED.some((name) => path!.endsWith(name)) ? undefined : unresolved(path!, undefined)),
      ),
      ...findFaults(page, read(page), /npm run (?:--silent )?(\w+(?::\w+)*)/g, ([, script]) =>
        Object.hasOwn(scripts, script!) ? undefined : `package.json has no script ${script}`,
      ),
    ]);
  expect(faults).toEqual([]);
});

/** The numbered sections of docs/methodology.md, each with the numbers of the list that it may have. */
const sections = new Map(
  read("docs/methodology.md")
    .split(/^## /m)
    .map((section) => [
      section.match(/^\d+/)?.[0],
      Array.from(section.matchAll(/^(\d+)\. /gm), ([, item]) => item).slice(1),
    ]),
);

it("has the sections and invariants that the code implements", () => {
  expect([...sections.keys()].filter(Boolean)).toEqual([
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "10",
    "11",
    "12",
    "13",
    "14",
  ]);
  expect(sections.get("8")).toEqual(Array.from({ length: 20 }, (_, i) => String(i + 1)));
});

/** What is wrong with `§3`, or `§3, §4 "When an address is classified" and §8.9`, of docs/methodology.md. */
function unresolvedSections(cited: string): string | undefined {
  const missing = Array.from(cited.matchAll(/§(\d+)(?:\.(\d+))?/g)).find(
    ([, section, item]) => !sections.has(section) || (item && !sections.get(section)!.includes(item)),
  );
  return missing && `docs/methodology.md has no ${missing[0]}`;
}

/** Tried in this order. What one pattern has matched is hidden from the next. */
const CITATIONS: [pattern: RegExp, find: (match: RegExpExecArray) => string | undefined][] = [
  [
    /docs\/methodology\.md(?!#)((?:,? *(?:and *)?§\d+(?:\.\d+)?(?: *"[^"]*")?)+)/g,
    ([, cited]) => unresolvedSections(cited!),
  ],
  [/\b(docs\/[\w./-]+\.md)(?:#([\w-]+))?/g, ([, page, anchor]) => unresolved(page!, anchor)],
  [
    /\bRFC[ -]*\d[\d.]*(?: *§\d+(?:\.\d+)*)?/g,
    ([cited]) =>
      /^RFC\s+[1-9]\d{0,3}(?:\s+§[\d.]+)?\.?$/.test(cited) ? undefined : `write "RFC 9110 §15.4.5", not "${cited}"`,
  ],
  [
    /(?<![\w./-])((?:bench|builder|data-schema|examples|explorer|test|worker)\/[\w./-]+\.ts)\b/g,
    ([, path]) => unresolved(path!, undefined),
  ],
  [/(?:methodology|design|specification),? *§ *[\d.]*/gi, ([cited]) => `"${cited}" does not name the page's path`],
  [
    /\b(?:design|specification)(?:\.md\b|,? ["§])|\bSource: [^.*]*\b(?:design|specification)\b(?!-)/gi,
    ([cited]) => `the repository has no such page: "${cited}"`,
  ],
];

it("resolves every citation in the sources", () => {
  const faults = sources.flatMap((path) => {
    // A citation may continue on the comment's next line: the marks at its beginning are read as spaces.
    let text = read(path).replace(/(?<=\n[ \t]*)(?:\*(?!\/)|\/\/|#|--)/g, (mark) => " ".repeat(mark.length));
    // Once a file has named the page, section numbers alone are enough.
    const hasNamedPage = text.includes("docs/methodology.md");
    const found = CITATIONS.flatMap(([pattern, find]) => {
      const spanning = new RegExp(pattern.source.replaceAll(" ", String.raw`\s`), pattern.flags);
      const faults = findFaults(path, text, spanning, find);
      text = blank(text, spanning);
      return faults;
    });
    const bare = findFaults(path, text, /§[\d.]*/g, ([cited]) =>
      hasNamedPage ? unresolvedSections(cited) : `"${cited}" of which page? Write "docs/methodology.md ${cited}"`,
    );
    return [...found, ...bare];
  });
  expect(faults).toEqual([]);
});

it("no comment of a source needs the one above it", () => {
  const faults = sources.flatMap((path) =>
    findFaults(
      path,
      read(path),
      /^\s*(?:\/\*\*|\/\/) (Of|Those|As) (?!soon|long)/gm,
      ([, word]) => `it begins with ${word}`,
    ),
  );
  expect(faults).toEqual([]);
});

it("the index of the documentation, and the project's README, name every page", () => {
  const inDocs = list("docs/*.md").filter((page) => page !== "docs/README.md");
  const missing = (index: string, named: (page: string) => string) =>
    inDocs.filter((page) => !read(index).includes(`](${named(page)}`));
  expect(missing("docs/README.md", (page) => basename(page))).toEqual([]);
  expect(missing("README.md", (page) => page)).toEqual([]);
});
