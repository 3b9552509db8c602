import fc from "fast-check";
import { marked } from "marked";
import { describe, expect, it } from "vitest";
import { ESCAPES } from "../../builder/lib/escapes.ts";

/** What is markup somewhere. */
const MARKUP =
  "<!channel> <!here|x> <@U123> <https://a.example|b> <b> </b> <a:b:1> <script> <!-- --> @everyone @user a@b.example " +
  "#12 GH-7 https://a.example/x HTTP://a www.a.example [a](b) ![a](https://b) [a]: ` ``` \\ ** _ ~~ || | &lt; & > word 1 .";
const HOSTILE = fc
  .array(fc.constantFrom(...MARKUP.split(" "), "# ", "\n", " "), { maxLength: 12 })
  .map((parts) => parts.join(""));

/** What Markdown shows of a text, if nothing in it is markup. */
const NOTHING_BUT_TEXT = /^<p>(?:(?!<\w|<\/|<!)[\s\S])*<\/p>\n$/;

describe("a text is nothing but text", () => {
  it("in GitHub's Markdown", () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const escaped = ESCAPES.markdown(text);
        expect(marked.parse(`a ${escaped}`, { async: false, gfm: true })).toMatch(NOTHING_BUT_TEXT);
        const cells = marked.parse(`| a |\n|---|\n| ${escaped} |`, { async: false, gfm: true }).match(/<td>/g);
        expect(cells ?? []).toHaveLength(1);
        // GitHub looks for these after it has made HTML of the rest.
        expect(escaped).not.toMatch(/@[\w-]|#\d|\bGH-\d|\bhttps?:\/\/|\bwww\./i);
      }),
    );
    expect(ESCAPES.markdown("5 % of <x>\n|y|")).toBe("5 % of &lt;x> \\|y\\|");
  });

  it("in Slack and Mattermost", () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const escaped = ESCAPES.slack(text);
        expect(escaped).not.toMatch(/[<>]|&(?!(amp|lt|gt);)|@[\w-]/);
        const shown = escaped.replaceAll("\u200b", "").replace(/&(amp|lt|gt);/g, (entity) => ENTITIES[entity]!);
        expect(shown).toBe(text);
      }),
    );
  });

  it("in Discord and Telegram", () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const escaped = ESCAPES.discord(text);
        expect(escaped.replace(/\\[\s\S]/g, "x")).not.toMatch(/[`*_~|[\]]|<[@#:/]|<\w+:|^[>#]|@[\w-]/m);
        expect(escaped.length).toBeLessThanOrEqual(2 * text.length);
        expect(ESCAPES.telegram(text)).not.toMatch(/@\w/);
        expect(ESCAPES.telegram(text).replaceAll("\u200b", "")).toBe(text);
      }),
    );
  });

  it("on a terminal", () => {
    expect(ESCAPES.terminal("\u001b]8;;https://a.example\u0007a\u200bb\u202e\u{e0041} ❤️\n")).toBe(
      "\\u{1b}]8;;https://a.example\\u{7}a\\u{200b}b\\u{202e}\\u{e0041} ❤️\n",
    );
  });
});

const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };
