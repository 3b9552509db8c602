/** What `soprano verify` tells its user. */

import { count, counted } from "../terminal/amounts.ts";
import type { Verification } from "./verify.ts";

/** Problems told in full; of more, their number. */
const MOST_TOLD = 200;

/** A line of result, then what is wrong and what was restated, a line each. */
export function formatVerification({ symbol, build, history, ...rest }: Verification): string {
  const { problems } = rest;
  const verdict = problems.length === 0 ? "is whole" : `is not right: ${counted(problems.length, "problem")}`;
  const facts = [counted(rest.objects, "object"), counted(rest.points, "point"), counted(rest.checks, "check")];
  const lines = [
    `${symbol}: build ${build} ${verdict}: ${facts.join(", ")}`,
    ...problems.slice(0, MOST_TOLD).map((problem) => `  ${problem}`),
    ...(problems.length > MOST_TOLD ? [`  … and ${count(problems.length - MOST_TOLD)} more`] : []),
  ];
  if (!history) return lines.join("\n");
  const { restated, changes, note } = history;
  if (restated.length > 0) {
    const why =
      changes.length > 0 ? changes.join(", ") : "nothing that the manifests say; late or corrected rows would";
    lines.push(`  History restated since build ${history.build}:`, ...restated.map((line) => `    ${line}`));
    lines.push(`    What may explain it: ${why}.`);
  }
  if (note) lines.push(`  Compared with build ${history.build}: ${note}.`);
  return lines.join("\n");
}
