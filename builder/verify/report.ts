/** The report of `soprano verify`. */

import { count, counted } from "../terminal/amounts.ts";
import type { Verification } from "./verify.ts";

/** Problems that are listed; of more, the report gives their number. */
const MAX_LISTED = 200;

/** The result, then a line for each problem and each restatement. */
export function formatVerification({ symbol, build, history, ...rest }: Verification): string {
  const { problems } = rest;
  const verdict = problems.length === 0 ? "is whole" : `is not right: ${counted(problems.length, "problem")}`;
  const facts = [counted(rest.objects, "object"), counted(rest.points, "point"), counted(rest.checks, "check")];
  const lines = [
    `${symbol}: build ${build} ${verdict}: ${facts.join(", ")}`,
    ...problems.slice(0, MAX_LISTED).map((problem) => `  ${problem}`),
    ...(problems.length > MAX_LISTED ? [`  … and ${count(problems.length - MAX_LISTED)} more`] : []),
  ];
  if (!history) return lines.join("\n");
  const { restated, changes, note } = history;
  if (restated.length > 0) {
    const why = changes.length > 0 ? changes.join(", ") : "nothing in the manifests; late or corrected rows might";
    lines.push(`  History restated since build ${history.build}:`, ...restated.map((line) => `    ${line}`));
    lines.push(`    What may explain it: ${why}.`);
  }
  if (note) lines.push(`  Compared with build ${history.build}: ${note}.`);
  return lines.join("\n");
}
