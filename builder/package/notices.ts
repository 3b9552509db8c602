/** The licences of what is bundled: their texts have to go with the code. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";

const manifestSchema = v.object({ version: v.string(), license: v.optional(v.string(), "see its text") });

const LICENCE = /^(licen[cs]e|copying|notice)/i;

/**
 * A text with the licences of packages.
 *
 * @param modules the folder node_modules
 */
export function noticesOf(modules: string, names: readonly string[]): string {
  const sections = names.map((name) => {
    const folder = join(modules, name);
    const { version, license } = v.parse(
      manifestSchema,
      JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
    );
    const texts = readdirSync(folder)
      .filter((file) => LICENCE.test(file))
      .sort()
      .map((file) => readFileSync(join(folder, file), "utf8").trim());
    return [`${name} ${version} (${license})`, ...texts].join("\n\n");
  });
  const rule = `\n\n${"-".repeat(80)}\n\n`;
  return `${["This package contains the packages below, under their licences.", ...sections].join(rule)}\n`;
}
