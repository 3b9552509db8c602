/** The Markdown of boards: what it reads, and that nothing else becomes more than text. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Inline, type MarkdownBlock, parseMarkdown, plainText } from "../../../explorer/src/boards/markdown.ts";

const inline = (text: string): Inline[] => {
  const [block] = parseMarkdown(text);
  return block?.kind === "paragraph" ? block.lines[0]! : [];
};
const text = (words: string): Inline => ({ kind: "text", text: words });

describe("blocks", () => {
  it("are headings, paragraphs, lists, quotes and rules", () => {
    const source = "# One\n### Three ###\nfirst\nsecond\n\nthird\n- a\n* b\n1. c\n2) d\n> said\n---\n";
    const [a, b] = [[text("a")], [text("b")]];
    expect(parseMarkdown(source)).toEqual([
      { kind: "heading", level: 1, of: [text("One")] },
      { kind: "heading", level: 3, of: [text("Three")] },
      { kind: "paragraph", lines: [[text("first")], [text("second")]] },
      { kind: "paragraph", lines: [[text("third")]] },
      { kind: "bullets", lines: [a, b] },
      { kind: "numbers", lines: [[text("c")], [text("d")]] },
      { kind: "quote", lines: [[text("said")]] },
      { kind: "rule" },
    ] satisfies MarkdownBlock[]);
  });

  it.each(["#tag", "-5 % in a day", "####  four", "1.5 million", "--"])("%s is a paragraph", (line) => {
    expect(parseMarkdown(line)).toEqual([{ kind: "paragraph", lines: [[text(line)]] }]);
  });
});

describe("pieces of a line", () => {
  it("are bold, italic, code and links, one in another", () => {
    expect(inline("a **b *c*** `d*` [e **f**](https://example.org/g_h)")).toEqual([
      text("a "),
      { kind: "strong", of: [text("b "), { kind: "em", of: [text("c")] }] },
      text(" "),
      { kind: "code", text: "d*" },
      text(" "),
      { kind: "link", href: "https://example.org/g_h", of: [text("e "), { kind: "strong", of: [text("f")] }] },
    ]);
    expect(inline("__a__ _b_")).toEqual([
      { kind: "strong", of: [text("a")] },
      text(" "),
      { kind: "em", of: [text("b")] },
    ]);
  });

  it.each(["net_realised_profit and supply_lth", "2 * 3 * 4", "* ", "**", "a ** b ** c", "[a]", "(b)", "`"])(
    "%s is text",
    (line) => {
      expect(plainText(inline(line))).toBe(line.trim());
      expect(inline(line).every(({ kind }) => kind === "text")).toBe(true);
    },
  );

  it("leave a sign behind a backslash", () => {
    expect(inline("\\*not\\* \\[a](/b)")).toEqual([text("*not* [a](/b)")]);
  });

  it.each(["javascript:alert(1)", "data:text/html,x", "//example.org", "/\\example.org", "https:///x", "x", "ftp://a"])(
    "have no link to %s",
    (href) => {
      expect(inline(`[a](${href})`)).toEqual([text(`[a](${href.replace("\\e", "\\e")})`)]);
    },
  );

  it("have links within this Soprano", () => {
    expect(inline("[a](/boards/valuation?a=ARIA)")).toEqual([
      { kind: "link", href: "/boards/valuation?a=ARIA", of: [text("a")] },
    ]);
  });

  it("lead nowhere else and lose no letter, whatever is written", () => {
    const piece = fc.constantFrom(
      "a",
      "**",
      "*",
      "_",
      "`",
      "[",
      "](",
      ")",
      "https://b",
      "javascript:",
      "/",
      "\\",
      " ",
      "\n",
    );
    const linksOf = (pieces: readonly Inline[]): string[] =>
      pieces.flatMap((one) => ("text" in one ? [] : [...(one.kind === "link" ? [one.href] : []), ...linksOf(one.of)]));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const source = pieces.join("");
        for (const block of parseMarkdown(source)) {
          const lines = block.kind === "rule" ? [] : block.kind === "heading" ? [block.of] : block.lines;
          for (const href of lines.flatMap(linksOf)) expect(href).toMatch(/^(https?:\/\/[^/]|\/(?![/\\]))/);
        }
        const letters = (all: string) => all.replaceAll(/\]\([^()\s]*\)/g, "").match(/a/g)?.length ?? 0;
        const shown = parseMarkdown(source)
          .flatMap((block) => (block.kind === "rule" ? [] : block.kind === "heading" ? [block.of] : block.lines))
          .map(plainText)
          .join(" ");
        expect(shown.match(/a/g)?.length ?? 0).toBeGreaterThanOrEqual(letters(source));
      }),
    );
  });
});
