/**
 * The Markdown of texts on boards: headings, paragraphs, lists, quotes, rules, bold, italic, code and links. A small part of it,
 * read strictly: what it has no form for stays text. It becomes a tree and then elements, never HTML, so there is nothing to
 * sanitise; a library with a sanitiser would be a sixth of the page's script. Source: docs/explorer.md#boards.
 */

/** A piece of a line. */
export type Inline =
  | { kind: "text" | "code"; text: string }
  | { kind: "strong" | "em"; of: Inline[] }
  | { kind: "link"; href: string; of: Inline[] };

/** Lines of a paragraph are apart; items of a list are lines. */
export type MarkdownBlock =
  | { kind: "heading"; level: 1 | 2 | 3; of: Inline[] }
  | { kind: "paragraph" | "quote" | "bullets" | "numbers"; lines: Inline[][] }
  | { kind: "rule" };

/** The forms of lines that aren't a paragraph's. */
const LINES = {
  quote: /^> ?(.*)$/,
  bullets: /^[-*+] +(.*)$/,
  numbers: /^\d{1,3}[.)] +(.*)$/,
} as const;
const HEADING = /^(#{1,3}) +(.*?)(?: +#+)?$/;
const RULE = /^(?:-{3,}|\*{3,}|_{3,})$/;

export function parseMarkdown(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  /** Whether the next line may go on with the last block. */
  let isOpen = false;
  for (const line of text.split(/\r?\n/).map((one) => one.trim())) {
    const heading = HEADING.exec(line);
    if (line === "") isOpen = false;
    else if (RULE.test(line)) blocks.push({ kind: "rule" });
    else if (heading) blocks.push({ kind: "heading", level: levelOf(heading[1]!), of: parseInline(heading[2]!) });
    else {
      const [kind, content] = lineOf(line);
      const last = blocks.at(-1);
      const own = parseInline(content);
      if (isOpen && last?.kind === kind) last.lines.push(own);
      else blocks.push({ kind, lines: [own] });
      isOpen = true;
      continue;
    }
    isOpen = false;
  }
  return blocks;
}

const levelOf = (signs: string) => Math.min(3, signs.length) as 1 | 2 | 3;

function lineOf(line: string): ["paragraph" | keyof typeof LINES, string] {
  for (const kind of Object.keys(LINES) as (keyof typeof LINES)[]) {
    const found = LINES[kind].exec(line);
    if (found) return [kind, found[1]!];
  }
  return ["paragraph", line];
}

/** The earliest of these is a piece of its own; a backslash before a sign leaves it a sign. */
const PIECES =
  /\\([\\`*_[\]#>()+.!-])|`([^`]+)`|\*\*(?=\S)(.+?)(?<=\S)\*\*(?!\*)|(?<!\w)__(?=\S)(.+?)(?<=\S)__(?!\w)|\*(?=\S)([^*]+?)(?<=\S)\*|(?<!\w)_(?=\S)([^_]+?)(?<=\S)_(?!\w)|\[([^[\]]+)\]\(([^()\s]+)\)/;

function parseInline(text: string): Inline[] {
  const pieces: Inline[] = [];
  const write = (plain: string) => {
    const last = pieces.at(-1);
    if (plain === "") return;
    if (last?.kind === "text") last.text += plain;
    else pieces.push({ kind: "text", text: plain });
  };
  let rest = text;
  for (let found = PIECES.exec(rest); found; found = PIECES.exec(rest)) {
    const [all, sign, code, stars, lines, star, line, label, href] = found;
    write(rest.slice(0, found.index));
    rest = rest.slice(found.index + all.length);
    const [strong, em] = [stars ?? lines, star ?? line];
    if (sign !== undefined) write(sign);
    else if (code !== undefined) pieces.push({ kind: "code", text: code });
    else if (strong !== undefined) pieces.push({ kind: "strong", of: parseInline(strong) });
    else if (em !== undefined) pieces.push({ kind: "em", of: parseInline(em) });
    else if (isPage(href!)) pieces.push({ kind: "link", href: href!, of: parseInline(label!) });
    else write(all);
  }
  write(rest);
  return pieces;
}

/** Whether a link leads to a page: of the web, or of this Soprano. */
const isPage = (href: string) => /^https?:\/\/[^/]/.test(href) || /^\/(?![/\\])/.test(href);

/** The same without its forms. */
export const plainText = (pieces: readonly Inline[]): string =>
  pieces.map((piece) => ("text" in piece ? piece.text : plainText(piece.of))).join("");
