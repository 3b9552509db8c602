/** Renders docs/methodology.md for the page `/methodology`, in which every metric has an anchor of its name. */

import { readFileSync } from "node:fs";
import { Marked, type RendererObject, type Token, type Tokens } from "marked";
import { escapeHtml } from "./src/format/html.ts";

const DOCS = new URL("../docs/", import.meta.url);

/** Pages of the repository that are served, too. Links to others become text. */
const SERVED: Record<string, string> = { "api.md": "/docs" };

/** Each picture exists for both themes, and is named by them: `images/sopr-light.png`. The text names the first. */
const THEMES = ["light", "dark"] as const;

/** Wider tables scroll on a phone. */
const MAX_COLUMNS = 4;

export interface Methodology {
  /** Links to its sections. */
  contents: string;
  text: string;
  /** The paths of its pictures, from the explorer's folder. */
  pictures: string[];
}

export function methodology(): Methodology {
  const pictures: string[] = [];
  const ids = new Map<Token, string>();
  const marked = new Marked({ renderer: rendererOf(ids, pictures) });
  const tokens = marked.lexer(readFileSync(new URL("methodology.md", DOCS), "utf8"));
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === "heading");
  for (const heading of headings) ids.set(heading, anchorOf(heading.text));
  const sections = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const contents = sections.map(
    (heading) =>
      `<li class="level-${heading.depth}"><a href="#${ids.get(heading)}">${marked.parseInline(heading.text)}</a></li>`,
  );
  // The first list is the contents, which the page has beside the text.
  const first = tokens.findIndex(({ type }) => type === "list");
  return { contents: contents.join("\n"), text: marked.parser(tokens.toSpliced(first, 1)), pictures };
}

function rendererOf(ids: ReadonlyMap<Token, string>, pictures: string[]): RendererObject {
  let section = "";
  return {
    heading(token) {
      const { depth, tokens, text } = token;
      section = text;
      return `<h${depth} id="${ids.get(token)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const target = href.startsWith("#") ? href : SERVED[href.replace(/#.*/, "")];
      return target ? `<a href="${target}">${text}</a>` : text;
    },
    code: ({ text }) => `<pre class="display">${withVariables(escapeHtml(text))}</pre>\n`,
    table(token) {
      const table = tableOf(token, (cell) => this.parser.parseInline(cell.tokens));
      if (token.header.length <= MAX_COLUMNS) return table;
      return `<div class="scroll" role="group" aria-label="${escapeHtml(section)}" tabindex="0">${table}</div>\n`;
    },
    image({ href, text }) {
      const { width, height } = pngSize(href);
      const rest = `width="${width}" height="${height}" alt="${escapeHtml(text)}" loading="lazy"`;
      return THEMES.map((theme) => {
        const path = `../docs/${href.replace(THEMES[0], theme)}`;
        pictures.push(path);
        return `<img class="${theme}" src="${path}" ${rest}>`;
      }).join("");
    },
  };
}

/** A row of a table that defines metrics has the metric's name as its anchor, and links to its chart. */
function tableOf({ header, rows }: Tokens.Table, render: (cell: Tokens.TableCell) => string): string {
  const isOfMetrics = header.map(({ text }) => text).join() === "metric,unit,value";
  const isNamed = header.some(({ text }) => text !== "");
  // A cell without text can't be a heading.
  const heads = header.map((cell) => (cell.text === "" ? "<td></td>" : `<th scope="col">${render(cell)}</th>`));
  const body = rows.map((cells) => {
    const [first, ...rest] = cells.map(render);
    if (!isOfMetrics) return row([`<td>${first}</td>`, ...rest.map((text) => `<td>${text}</td>`)]);
    const name = cells[0]!.text.replaceAll("`", "");
    const [unit, value] = rest;
    return row(
      [
        `<th scope="row"><a href="/?y=${name}">${first}</a></th>`,
        `<td>${unit}</td>`,
        `<td>${withVariables(value!)}</td>`,
      ],
      ` id="${name}"`,
    );
  });
  return `<table>${isNamed ? `<thead>${row(heads)}</thead>` : ""}<tbody>${body.join("\n")}</tbody></table>\n`;
}

const row = (cells: readonly string[], attributes = "") => `<tr${attributes}>${cells.join("")}</tr>`;

/** A letter of its own, with a sign before or after it. */
const VARIABLE = /(?<!\p{L})[a-z](?!\p{L})(?:(?<=[·(−+/←Σ] ?.)|(?= ?[·−+/←)]))/giu;

/** Marks the variables of a formula. */
const withVariables = (html: string) => html.replaceAll(VARIABLE, "<var>$&</var>");

/** The anchor that GitHub gives to a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");

/** The size of a picture in pixels, which the PNG's header begins with. */
function pngSize(path: string): { width: number; height: number } {
  const bytes = readFileSync(new URL(path, DOCS));
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}
