/** The client's types are those of today's API: otherwise run `npm run build:client`. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generate } from "../../../clients/typescript/generate.ts";

it("the generated types are up to date", async () => {
  const stale = Object.entries(await generate()).filter(([name, text]) => {
    const file = new URL(`../../../clients/typescript/src/${name}`, import.meta.url);
    return readFileSync(file, "utf8") !== text;
  });
  expect(stale.map(([name]) => name)).toEqual([]);
});
