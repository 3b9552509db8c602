/** The Python client counts spans back as the server does. Skipped where there is no Python. */

import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { before, parseRelative } from "../../data-schema/text/relative.ts";
import { findPython, PYTHON_CLIENT } from "./pythons.ts";

const PYTHON = findPython() ?? "";

it.skipIf(PYTHON === "")("spans lie as far back as those of the server (needs Python)", () => {
  const ends = ["2024-02-29", "2024-03-31T23:59:59", "2025-12-31", "2026-01-01T00:00:01", "1970-01-01"];
  const spans = [0, 1, 2, 11, 12, 13, 30, 400, 999_999].flatMap((count) =>
    [..."hdwmy"].map((unit) => `-${count}${unit}`),
  );
  const given = ends.flatMap((end) =>
    spans.map((span) => [Date.parse(`${end}${end.includes("T") ? "" : "T00:00"}Z`) / 1000, span] as const),
  );
  const program =
    "import json, sys; from soprano import _parts; print(json.dumps([_parts.before(*one) for one in json.load(sys.stdin)]))";
  const env = { ...process.env, ...PYTHON_CLIENT };
  const counted = JSON.parse(
    execFileSync(PYTHON, ["-c", program], { env, input: JSON.stringify(given), encoding: "utf8" }),
  );
  // No point is before 1970, and a negative number would be a span without its unit.
  expect(counted).toEqual(given.map(([end, span]) => Math.max(0, before(end, parseRelative(span)!))));
});
