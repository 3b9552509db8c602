/** The parameters of GET /v3/holders and of GET /v3/holders/<address>. */

import { HOLDER_GROUPS, HOLDER_ORDERS, HOLDER_SORTS, MOST_LARGEST, MOST_LISTED } from "../../../data-schema/stored.ts";
import { INSTANT_PATTERN, RELATIVE_FORMS, RELATIVE_PATTERN } from "../../../data-schema/text.ts";
import { tableParameter } from "./table-parameters.ts";
import { INSTANT_FORMS, PARAMETERS, type Parameter } from "./v1-parameters.ts";

/** Addresses of one answer. */
export const MOST_HOLDERS = 1_000;

/** Assets in which an address is looked up at once. */
export const MOST_LOOKED_UP = 200;

/** The parameters of a list, in the order in which they are shown. */
export const HOLDERS_PARAMETERS = [
  tableParameter("api_key"),
  { ...PARAMETERS.a, name: "a", description: "Symbol of the asset, in any case. /v3/assets lists all there are." },
  {
    name: "at",
    title: "At a day",
    description: `Any time of a day, UTC, or a span before the last one: the ${MOST_LARGEST} addresses with the largest balances at that day's close, instead of all addresses as they are now.`,
    required: false,
    forms: [...INSTANT_FORMS, ...RELATIVE_FORMS],
    pattern: `${INSTANT_PATTERN}|${RELATIVE_PATTERN}`,
    example: "2025-03-01",
    synonyms: ["date", "day", "t", "time", "when", "as_of", "asof"],
  },
  {
    name: "sort",
    title: "Sort",
    description: "The column by which addresses are ordered. Equal ones are in the order of their addresses.",
    required: false,
    values: HOLDER_SORTS,
    default: "balance",
    example: "balance",
    synonyms: ["by", "order_by", "sort_by", "orderby"],
  },
  {
    name: "order",
    title: "Order",
    description:
      "desc: the largest or latest first. asc: the smallest or earliest. Addresses without a value come last in both.",
    required: false,
    values: HOLDER_ORDERS,
    default: "desc",
    example: "desc",
    synonyms: ["dir", "direction", "sort_order"],
  },
  {
    name: "group",
    title: "Group",
    description: "Only users, contracts (sc) or addresses of exchanges (cex). Left out: all addresses.",
    required: false,
    values: HOLDER_GROUPS,
    example: "users",
    synonyms: ["c", "cohort", "groups", "type"],
  },
  {
    name: "limit",
    title: "Limit",
    description: `How many addresses to return: 1 to ${MOST_HOLDERS}.`,
    required: false,
    forms: [`a whole number from 1 to ${MOST_HOLDERS}`],
    pattern: "^([1-9]\\d{0,2}|1000)$",
    default: "100",
    example: "10",
    synonyms: ["last", "n", "count", "top", "size"],
  },
  {
    name: "offset",
    title: "Offset",
    description: `How many addresses to skip. Offset and limit together are up to ${MOST_LISTED}.`,
    required: false,
    forms: [`a whole number from 0 to ${MOST_LISTED - 1}`],
    pattern: "^\\d{1,4}$",
    default: "0",
    example: "0",
    synonyms: ["skip", "from", "start"],
  },
  tableParameter("f"),
] as const satisfies readonly Parameter<string>[];

const { list: _few, ...assets } = tableParameter("a");

/** The parameters of an address, in the order in which they are shown. */
export const ADDRESS_PARAMETERS = [
  tableParameter("api_key"),
  {
    ...assets,
    required: false,
    description: `Symbols of up to ${MOST_LOOKED_UP} assets, in any case. Left out: every asset.`,
    list: { most: MOST_LOOKED_UP },
  },
  tableParameter("f"),
] as const satisfies readonly (Parameter<string> & { list?: { most: number } })[];
