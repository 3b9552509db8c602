import * as Address from "ox/Address";
import { expect, test } from "vitest";
import { CHAINS, factoriesOf } from "../../../../builder/fetch/prices/pools/pool-chains.ts";

test.each(Object.entries(CHAINS))("the addresses on chain %s have their checksums", (_, chain) => {
  const { quotes } = chain;
  const feeds = quotes.flatMap(({ quoteUsd }) => (typeof quoteUsd === "number" ? [] : [quoteUsd.feed]));
  const all = [...factoriesOf(chain).map(({ address }) => address), ...quotes.map(({ address }) => address), ...feeds];
  expect(all).toEqual(all.map((address) => Address.checksum(address as `0x${string}`)));
  expect(new Set(all).size).toBe(all.length);
});
