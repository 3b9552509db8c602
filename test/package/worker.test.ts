/** What users deploy: the Worker's bundle and their wrangler.toml. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { expect, it } from "vitest";
import { workerFiles } from "../../builder/package/worker.ts";
import { packagedToml } from "../../builder/package/wrangler-toml.ts";
import { PROJECT } from "../../builder/store/places.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const script = (text: string) => ({ type: "ESModule" as const, path: "/p/index.js", contents: bytes(text) });
const wasm = (name: string) => ({ type: "CompiledWasm" as const, path: `/p/${name}`, contents: bytes("wasm") });
const DECODER = "parquet_wasm_bg-ABC.wasm";

it("the module of a dependency is imported from there", () => {
  const files = workerFiles([
    script(`import a from "./${DECODER}";a("./table-D.wasm")`),
    wasm(DECODER),
    wasm("table-D.wasm"),
  ]);
  expect([...files.keys()]).toEqual(["index.js", "table-D.wasm"]);
  expect(new TextDecoder().decode(files.get("index.js"))).toBe(
    'import a from "parquet-wasm/esm/parquet_wasm_bg.wasm";a("./table-D.wasm")',
  );
});

it("a bundle without it is refused", () => {
  expect(() => workerFiles([script("")])).toThrow("The Worker does not import parquet-wasm");
  expect(() => workerFiles([script(`"./other.wasm"`), wasm(DECODER)])).toThrow("see builder/package/worker.ts");
});

it("wrangler.toml differs in its paths alone, and builds no pages", () => {
  const text = readFileSync(join(PROJECT, "wrangler.toml"), "utf8");
  const { build: _, main, assets, ...rest } = parse(text);
  const { main: packagedMain, assets: packagedAssets, ...packaged } = parse(packagedToml(text));
  expect(packaged).toEqual(rest);
  expect([main, packagedMain]).toEqual(["worker/index.ts", "node_modules/soprano/worker/index.js"]);
  expect(packagedAssets).toEqual({ ...(assets as object), directory: "node_modules/soprano/explorer/dist" });
  expect(() => packagedToml(text.replace("[build]", "[builds]"))).toThrow("wrangler.toml has nothing like");
});
