/** Whose wrangler.toml counts, and what is said of one that is wrong. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT } from "../../builder/store/places.ts";
import { readWranglerToml } from "../../builder/store/wrangler.ts";
import { scratchFolder } from "../folders.ts";

const own = readFileSync(join(PROJECT, "wrangler.toml"), "utf8");

it("the user's, else Soprano's own", async () => {
  const home = scratchFolder();
  expect(await readWranglerToml(home)).toEqual(await readWranglerToml());
  writeFileSync(join(home, "wrangler.toml"), own.replace(/^id = .*$/m, 'id = "1234"'));
  expect((await readWranglerToml(home)).kv_namespaces[0].id).toBe("1234");
});

it.each([
  ['name = "other"', /: compatibility_date is missing; compare it with the wrangler\.toml of Soprano\.$/],
  [own.replace('binding = "KEYS"', 'binding = "OTHER"'), /kv_namespaces\.0\.binding must be "KEYS", and is "OTHER"; /],
  ["name = ", /wrangler\.toml can't be read \(.*\): mend it\.$/],
])("says what is wrong in it", async (text, says) => {
  const home = scratchFolder();
  writeFileSync(join(home, "wrangler.toml"), text);
  const failing = readWranglerToml(home);
  await expect(failing).rejects.toThrow(says);
  await expect(failing).rejects.toMatchObject({ name: "Failure", message: expect.stringContaining(home) });
});
