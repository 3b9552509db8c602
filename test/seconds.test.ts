import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import seconds from "./seconds.json" with { type: "json" };

it("each file whose time is noted is there: else run `npm run test:long -- --record`", () => {
  expect(Object.keys(seconds).filter((file) => !existsSync(file))).toEqual([]);
});
