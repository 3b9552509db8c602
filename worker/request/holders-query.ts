/** Query strings of GET /v3/holders and GET /v3/holders/<address> → queries. Source: docs/api.md#holders. */

import { ADDRESS_PATTERN } from "../../data-schema/chain.ts";
import { type HolderGroup, type HolderOrder, type HolderSort, MOST_LISTED } from "../../data-schema/stored.ts";
import { Problem } from "../problems/problem.ts";
import { givenValues } from "./parameters/given.ts";
import { ADDRESS_PARAMETERS, HOLDERS_PARAMETERS } from "./parameters/holder-parameters.ts";
import type { TableFormat } from "./parameters/table-formats.ts";
import { type TableParameter, tableParameter } from "./parameters/table-parameters.ts";
import { type Bound, choiceOf, readBound, refuseTogether, symbolsOf } from "./table-query.ts";
import { upperCase } from "./validate.ts";

/** Some of an asset's addresses, in an order. */
export interface HoldersQuery {
  /** In upper case. Whether there is such an asset is checked in the next step. */
  symbol: string;
  /** The day whose largest addresses are wanted; null for all addresses as they are now. */
  at: Bound | null;
  sort: HolderSort;
  order: HolderOrder;
  /** Null for all addresses. */
  group: HolderGroup | null;
  limit: number;
  offset: number;
  format: TableFormat;
}

/** An address, in some assets. */
export interface AddressQuery {
  /** 0x and 40 hex digits, in lower case. */
  address: string;
  /** In upper case; null for every asset. */
  symbols: readonly string[] | null;
  format: TableFormat;
}

const parameter = (name: (typeof HOLDERS_PARAMETERS)[number]["name"]): TableParameter<string> =>
  HOLDERS_PARAMETERS.find((one) => one.name === name)!;

type Values = ReadonlyMap<string, string>;

/** @throws {Problem} 400 with the first wrong parameter, what is allowed, and the nearest of that */
export function validateHolders(parameters: URLSearchParams): HoldersQuery {
  const values = givenValues(parameters, HOLDERS_PARAMETERS);
  const symbol = values.get("a");
  if (symbol === undefined) {
    throw new Problem("missing-parameter", "Name the asset in the parameter a.", { parameter: "a" });
  }
  refuseTogether(values, "at", ["sort", "order", "group"]);
  const day = values.get("at");
  const at = day === undefined ? null : readBound(parameter("at"), day);
  const sort = choiceOf(parameter("sort"), values) as HolderSort;
  const order = choiceOf(parameter("order"), values) as HolderOrder;
  const group = values.has("group") ? (choiceOf(parameter("group"), values) as HolderGroup) : null;
  const limit = wholeNumber("limit", values);
  const offset = wholeNumber("offset", values);
  if (offset + limit > MOST_LISTED) {
    const detail = `offset and limit are ${offset + limit} together: the first ${MOST_LISTED} addresses of each order can be read. /v3/holders/<address> has any other.`;
    throw new Problem("invalid-parameter", detail, {
      parameter: "offset",
      allowed: [`0 to ${MOST_LISTED - limit} with limit=${limit}`],
    });
  }
  const format = choiceOf(parameter("f"), values) as TableFormat;
  return { symbol: upperCase(symbol), at, sort, order, group, limit, offset, format };
}

function wholeNumber(name: "limit" | "offset", values: Values): number {
  const { pattern, forms, default: preset } = parameter(name);
  const value = values.get(name) ?? preset!;
  if (new RegExp(pattern!).test(value)) return Number(value);
  throw new Problem("invalid-parameter", `${name} is not ${forms![0]}.`, { parameter: name, allowed: forms });
}

/**
 * The query of an address.
 *
 * @param name the address, as the path has it
 * @throws {Problem} 400 it is no address; a wrong parameter, as `validateHolders`
 */
export function validateAddress(name: string, parameters: URLSearchParams): AddressQuery {
  const address = name.toLowerCase();
  if (!ADDRESS_PATTERN.test(address)) {
    const detail = "The path names no address: /v3/holders/0x… has 40 hex digits, in any case.";
    throw new Problem("invalid-parameter", detail, { parameter: "address", allowed: ["0x and 40 hex digits"] });
  }
  const values = givenValues(parameters, ADDRESS_PARAMETERS);
  const assets = ADDRESS_PARAMETERS.find((one) => one.name === "a")!;
  const symbols = values.has("a") ? symbolsOf(values, assets) : null;
  const format = choiceOf(tableParameter("f"), values) as TableFormat;
  return { address, symbols, format };
}
