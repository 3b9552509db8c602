/** What users deploy: their wrangler.toml. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { expect, it } from "vitest";
import { packagedToml } from "../../builder/package/wrangler-toml.ts";
import { PROJECT } from "../../builder/store/places.ts";

it("wrangler.toml differs in its paths alone, and builds no pages", () => {
  const text = readFileSync(join(PROJECT, "wrangler.toml"), "utf8");
  const { build: _, main, assets, ...rest } = parse(text);
  const { main: packagedMain, assets: packagedAssets, ...packaged } = parse(packagedToml(text));
  expect(packaged).toEqual(rest);
  expect([main, packagedMain]).toEqual(["worker/index.ts", "node_modules/soprano/worker/index.js"]);
  expect(packagedAssets).toEqual({ ...(assets as object), directory: "node_modules/soprano/explorer/dist" });
  expect(() => packagedToml(text.replace("[build]", "[builds]"))).toThrow("wrangler.toml has nothing like");
});
