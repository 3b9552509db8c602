import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerptOf, foreignLine, foreignName, foreignText, LONGEST_FOREIGN } from "../../builder/lib/foreign-text.ts";
import { UNSAFE_CHARACTER } from "../../data-schema/asset.ts";

/** What some terminals, pages and chats take for more than a letter. */
const HOSTILE = fc
  .array(
    fc.constantFrom(
      ...[
        "\u001b]8;;https://example.com\u0007",
        "\u001b[2J",
        "\u009b31m",
        "\u202e",
        "\u2066",
        "\u200b",
        "\u2060",
        "\ufeff",
      ],
      ...["\u{e0041}", "\u00ad", "\0", "\r\n", "\u2028", "\ud83d", "\ude00", "🦊", " ", "a", "word", "long".repeat(90)],
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

describe("a text of others", () => {
  it.each([
    ["a message", foreignText],
    ["a name", foreignName],
  ])("is one visible line as %s, of what was there", (_, made) => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const line = made(text);
        expect(line).not.toMatch(UNSAFE_CHARACTER);
        expect(line).not.toMatch(INVISIBLE);
        expect(line).toBe(line.trim());
        expect(made(text.slice(0, LONGEST_FOREIGN))).toBe(line);
      }),
    );
  });

  it("keeps its words", () => {
    expect(foreignText("\u001b[31mno\u200b such\n\nblock\u202e")).toBe("\\u{1b}[31mno such block\\u{202e}");
    expect(foreignName("  Ha\u200bir 🦊\u202e Coin\0\0")).toBe("Hair 🦊 Coin");
    expect(foreignLine("A\u200bB\u0007")).toBe("A\u200bB");
    expect([excerptOf({ message: "a" }), foreignText(undefined)]).toEqual(["", ""]);
  });

  it("is cut between characters", () => {
    for (const before of [499, 500]) expect(excerptOf(`${"a".repeat(before)}🦊`)).toBe("a".repeat(before));
    expect(foreignName(`${"a".repeat(199)}🦊`)).toBe("a".repeat(199));
  });
});
