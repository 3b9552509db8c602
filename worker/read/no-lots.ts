/** What is said of lots that an asset does not have. */

import { type LotMethod, type LotSelector, methodOf } from "../../data-schema/registry.ts";
import { Problem } from "../problems/problem.ts";

/**
 * @param methods those that it has
 * @param place where formulas name it: a sentence after a blank, or nothing
 */
export function noLots(
  symbol: string,
  selector: LotSelector,
  methods: readonly LotMethod[],
  parameter: "c" | "x" | "series" = "c",
  place = "",
): Problem {
  const method = methodOf(selector);
  const others = methods.length > 0 ? `, only by ${methods.join(" and ")}` : "";
  const detail = `${symbol} has no lots by ${method}${others}: its operator adds "lots": ["${method}"] to its ASSET.json.${place}`;
  return new Problem("invalid-parameter", detail, {
    parameter,
    ...(methods.length > 0 && { allowed: methods }),
  });
}
