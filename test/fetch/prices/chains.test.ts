import * as Address from "ox/Address";
import { expect, test } from "vitest";
import { CHAINS } from "../../../builder/fetch/prices/chains.ts";

test.each(Object.entries(CHAINS))(
  "the addresses on chain %s have their checksums",
  (_, { v2Factory, v3Factory, quotes }) => {
    const feeds = quotes.flatMap(({ quoteUsd }) => (typeof quoteUsd === "number" ? [] : [quoteUsd.feed]));
    const all = [v2Factory, v3Factory, ...quotes.map(({ address }) => address), ...feeds];
    expect(all).toEqual(all.map((address) => Address.checksum(address as `0x${string}`)));
    expect(new Set(all).size).toBe(all.length);
  },
);
