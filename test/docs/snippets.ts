/** The code of the Markdown pages: what is between fences, and where it is. */

export interface Snippet {
  /** Such as `docs/using.md, line 12`. */
  place: string;
  page: string;
  language: string;
  code: string;
  /** Why it can't run here: the comment `<!-- not run: … -->` on the line before it. */
  notRun?: string;
}

const FENCED = /(?:^<!-- not run: (?<notRun>.+) -->\n)?^(?<indent> *)```(?<language>\w+)\n(?<code>[\s\S]*?)^ *```$/gm;

export function snippetsOf(page: string, markdown: string): Snippet[] {
  return Array.from(markdown.matchAll(FENCED), ({ index, groups }) => {
    const { notRun, indent = "", language = "", code = "" } = groups!;
    const line = markdown.slice(0, index).split("\n").length + (notRun === undefined ? 0 : 1);
    const unindented = code.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    return {
      place: `${page}, line ${line}`,
      page,
      language,
      code: unindented,
      ...(notRun !== undefined && { notRun }),
    };
  });
}

/** A command of a console, and what it prints. */
export interface Dialogue {
  command: string;
  output: string;
}

/** The commands after each `$ `, which continue behind a backslash, with the lines that follow them. */
export function dialoguesOf(code: string): Dialogue[] {
  return code
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [, command = "", output = ""] = part.match(/^((?:.*\\\n)*.*)\n?([\s\S]*)$/)!;
      return { command, output: output.trim() };
    });
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Whether a text is what a page shows: `…` stands for anything, and lines may be left out. */
export function isShown(shown: string, text: string): boolean {
  const lines = shown.split("\n").filter((line) => line !== "" && line !== "…");
  const pattern = lines.map((line) => `^${line.split("…").map(escaped).join(".*")}\\s*$`).join("[\\s\\S]*?");
  return new RegExp(pattern, "m").test(text);
}
