/** The OpenAPI document passes a linter, whose recommended rules are errors. */

import { createConfig, lintFromString } from "@redocly/openapi-core";
import { expect, it } from "vitest";
import { openApi } from "../../worker/catalog/openapi.ts";

it("has no finding", async () => {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const findings = await lintFromString({ source: JSON.stringify(openApi()), config });
  expect(findings.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it("would have one if it named a schema that does not exist", async () => {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const source = JSON.stringify(openApi()).replace("#/components/schemas/Series", "#/components/schemas/Serious");
  expect(await lintFromString({ source, config })).not.toEqual([]);
});
