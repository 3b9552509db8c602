/** Every `soprano` command that a page shows exists, with the options that it shows. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { soprano } from "../commands/soprano.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const GLOBAL = ["--quiet", "--debug", "--version"];

/** The options that pages show for each command, such as `keys create`. */
function shownOptions(): Map<string, Set<string>> {
  const shown = new Map<string, Set<string>>();
  for (const page of ["README.md", "examples/README.md", ...globSync("docs/*.md", { cwd: PROJECT })]) {
    // Up to the comment behind a command, or the end of its code.
    const commands = readFileSync(join(PROJECT, page), "utf8").matchAll(
      /npx soprano ((?:(?:keys|labels) )?[a-z]+)((?:(?! {2,}|[`#&|]).)*)/g,
    );
    for (const [, command = "", rest = ""] of commands) {
      const options = shown.get(command) ?? new Set();
      shown.set(command, options);
      for (const [option] of rest.matchAll(/--[a-z-]+/g)) options.add(option);
    }
  }
  return shown;
}

it.each([...shownOptions()])("soprano %s", async (command, options) => {
  const { status, stdout } = await soprano(...command.split(" "), "--help");
  expect([status, stdout]).toEqual([0, expect.stringContaining(`Usage: soprano ${command} `)]);
  const known = new Set([...(stdout.match(/--[a-z-]+/g) ?? []), ...GLOBAL]);
  expect([...options].filter((option) => !known.has(option))).toEqual([]);
});
