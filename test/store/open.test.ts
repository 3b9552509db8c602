/** `--store` and `--persist`: which store a command opens. */

import { expect, it } from "vitest";
import { sopranoIn } from "../commands/soprano.ts";

const NO_CREDENTIALS = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };

const build = (...options: string[]) => sopranoIn(NO_CREDENTIALS, "build", "asset.json", ...options);

it.each([
  ["another kind of store", ["--store", "s3://soprano"]],
  ["a bucket with a folder", ["--store", "r2://soprano/folder"]],
  ["a name that no bucket can have", ["--store", "r2://A"]],
  ["two places", ["--store", "r2://soprano", "--persist", "state"]],
])("is wrong usage: %s", async (_, options) => {
  const { status, stdout, stderr } = await build(...options);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain("--store");
});

it("needs credentials for R2", async () => {
  expect(await build("--store", "r2://soprano")).toEqual({
    status: 1,
    stdout: "",
    stderr: expect.stringMatching(/^soprano: r2:\/\/soprano needs AWS_ACCESS_KEY_ID [^\n]*\.\n$/),
  });
});
