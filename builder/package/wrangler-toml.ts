/** wrangler.toml for users of the package. */

/** Where the package lies from the folder of a user's wrangler.toml. */
const INSTALLED = "node_modules/soprano";

/** What a user's file has in place of what the project's has: the Worker is bundled, and the pages are built. */
const CHANGES: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/^main = "worker\/index\.ts"$/m, `main = "${INSTALLED}/worker/index.js"`],
  [/^\[build\]\n(?:.+\n)*\n/m, ""],
  [/^directory = "explorer\/dist"$/m, `directory = "${INSTALLED}/explorer/dist"`],
];

/**
 * Pure.
 *
 * @param text wrangler.toml of the project
 * @throws {Error} it has not what is to be changed
 */
export function packagedToml(text: string): string {
  return CHANGES.reduce((toml, [pattern, replacement]) => {
    if (!pattern.test(toml)) throw new Error(`wrangler.toml has nothing like ${pattern}: see builder/package.`);
    return toml.replace(pattern, replacement);
  }, text);
}
