import { expect, it } from "vitest";
import type { Asset } from "../../../explorer/src/api/catalog.ts";
import { depositNotes } from "../../../explorer/src/lines/deposit-note.ts";
import { parseLine } from "../../../explorer/src/lines/lines.ts";
import { everyMetric } from "../catalog.ts";

const TABLE = {
  asOf: "2026-11-01T00:00:00.000Z",
  addresses: 1_222,
  exchanges: ["ftx", "coinone", "gopax", "okx", "upbit"].map((exchange, i) => ({
    exchange,
    addresses: i < 4 ? 300 : 22,
  })),
  inflowShare: 0.2849,
};

function notesOf(texts: string[], deposits: Asset["deposits"]) {
  const [one, ...others] = everyMetric.assets;
  const asset = { ...one!, ...(deposits && { deposits }) };
  const context = { catalog: { ...everyMetric, assets: [asset, ...others] }, asset };
  return depositNotes(
    texts.map((text) => parseLine(text, context)!),
    context,
  );
}

it("lines of exchanges say once how many deposit addresses they rest on", () => {
  expect(notesOf(["cex_inflow", "cex_reserve:*exchange", "sopr"], TABLE)).toEqual([
    "ARIA's exchanges also receive through 1,222 deposit addresses of 5 exchanges, found from transfers: 28.5 % of the last 365 days' inflow.",
  ]);
});

it("other lines say nothing, nor do assets without deposit addresses", () => {
  expect(notesOf(["sopr", "supply"], TABLE)).toEqual([]);
  expect(notesOf(["cex_inflow"], undefined)).toEqual([]);
  expect(notesOf(["cex_inflow"], { addresses: 0, exchanges: [] })).toEqual([]);
});

it("a table of the operator's, and exchanges that are not listed, are told", () => {
  const [ftx] = TABLE.exchanges;
  expect(notesOf(["DUET.cex_inflow", "=cex_inflow - cex_outflow"], { addresses: 301, exchanges: [ftx!] })).toEqual([
    "ARIA's exchanges also receive through 301 deposit addresses of more than one exchange, named by the operator.",
  ]);
});
