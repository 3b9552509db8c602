/** Commands as the pages show them, with the reader's own names: what a page no longer shows, a test can't run. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { snippetsOf } from "../../docs/snippets.ts";

const textOf = (page: string) => readFileSync(join(import.meta.dirname, "../../../docs", page), "utf8");

/**
 * The words after `npx soprano` of the shortest command of a page that begins so.
 *
 * @param own what the reader writes, by what the page has; the page must have it
 * @throws {Error} the page shows no such command
 */
export function shownCommand(page: string, beginning: string, own: Record<string, string> = {}): string[] {
  const lines = textOf(page).match(/npx soprano [^\n`]*/g) ?? [];
  const [command] = lines
    .map((line) => line.slice("npx soprano ".length).replace(/ +#.*$/, ""))
    .filter((line) => line.startsWith(beginning))
    .toSorted((a, b) => a.length - b.length);
  if (command === undefined) throw new Error(`docs/${page} shows no "npx soprano ${beginning}".`);
  const words = Array.from(command.matchAll(/"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word);
  return Object.entries(own).reduce((all, [theirs, ours]) => {
    if (!all.some((word) => word.includes(theirs))) throw new Error(`"${command}" of docs/${page} has no ${theirs}.`);
    return all.map((word) => word.replaceAll(theirs, ours));
  }, words);
}

/** The script of a page that has such a line. */
export function shownScript(page: string, line: string): string {
  const found = snippetsOf(page, textOf(page)).find(({ language, code }) => language === "bash" && code.includes(line));
  if (!found) throw new Error(`docs/${page} shows no script with "${line}".`);
  return found.code;
}
