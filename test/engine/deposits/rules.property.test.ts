import fc from "fast-check";
import { expect, it } from "vitest";
import { FIRST_EXCHANGE, OTHER_EXCHANGES } from "../../../builder/engine/classification.ts";
import { DepositRules } from "../../../builder/engine/deposits/rules.ts";
import { labelText } from "../../../builder/input/labels/address-labels.ts";
import { timeLimit, tries } from "../../effort.ts";
import { referenceDeposits } from "../../reference/deposits.ts";
import type { Token } from "../../reference/reference.ts";
import { toEngineInput } from "../engine-input.ts";
import { economies } from "./economies.ts";

/** The table of a token whose events come in pieces, each with the words that its own values need. */
function found(token: Token, cuts: readonly number[], part: (id: number) => boolean) {
  const { history: whole, groups } = toEngineInput(token);
  const textOf = (id: number) => `0x${Buffer.from(whole.addresses.subarray(20 * id, 20 * id + 20)).toString("hex")}`;
  const ids = [...groups.keys()];
  const judged = Uint32Array.from(ids, (id) => (id > 0 && groups[id]! < FIRST_EXCHANGE && part(id) ? id : 0));
  const others = Uint32Array.from(ids, (id) => (groups[id] === OTHER_EXCHANGES ? id : 0));
  const rules = new DepositRules();
  const ends = [...new Set([...cuts.map((cut) => cut % whole.rows), whole.rows])].sort((a, b) => a - b);
  for (const [index, end] of ends.entries()) {
    const begin = ends[index - 1] ?? 0;
    const { valueWords: words } = whole;
    let own = words;
    const rows = whole.values.subarray(begin * words, end * words);
    const isUnused = (word: number) => rows.every((value, at) => at % words !== word || value === 0);
    while (own > 1 && isUnused(own - 1)) own--;
    const history = {
      ...whole,
      rows: end - begin,
      timestamp: whole.timestamp.subarray(begin, end),
      from: whole.from.subarray(begin, end),
      to: whole.to.subarray(begin, end),
      valueWords: own,
      values: rows.filter((_, at) => at % words < own),
    };
    rules.add({ history, groups, judged, others }, ids.length);
  }
  return Array.from(rules.found(), ({ number, group, ...row }) => ({
    address: textOf(number),
    exchange: labelText(group),
    ...row,
  }));
}

it("finds what the slow reference finds, whatever the pieces and the parts", { timeout: timeLimit(120_000) }, () => {
  let tables = 0;
  fc.assert(
    fc.property(
      fc.oneof(economies(), economies(40, 2n ** 250n)),
      fc.array(fc.nat(), { maxLength: 4 }),
      fc.integer({ min: 1, max: 4 }),
      (token, cuts, parts) => {
        const rows = Array.from({ length: parts }, (_, part) => found(token, cuts, (id) => id % parts === part)).flat();
        const expected = referenceDeposits(token);
        expect(rows.sort((a, b) => (a.address < b.address ? -1 : 1))).toEqual(expected);
        tables += expected.length > 0 ? 1 : 0;
      },
    ),
    { numRuns: tries(1_000) },
  );
  expect(tables).toBeGreaterThan(tries(1_000) / 10);
});
