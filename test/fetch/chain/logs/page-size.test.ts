import fc from "fast-check";
import { expect, it } from "vitest";
import { Random } from "../../../../builder/demo/simulate/random.ts";
import { suggestedBlocks } from "../../../../builder/fetch/chain/logs/hints.ts";
import { PageSize } from "../../../../builder/fetch/chain/logs/page-size.ts";

it("reads any ranges at any limit with few refusals, also at their ends", () => {
  const numbers = fc.record({
    limit: fc.integer({ min: 1, max: 3_000 }),
    ranges: fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 20 }),
    first: fc.integer({ min: 1, max: 1_000 }),
    hint: fc.option(fc.integer({ min: 0, max: 5_000 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(numbers, ({ limit, ranges, first, hint }) => {
      const size = new PageSize(first);
      let refused = 0;
      let pages = 0;
      for (const range of ranges) {
        for (let left = range; left > 0; ) {
          const blocks = Math.min(left, size.blocks);
          size.started(blocks);
          if (blocks <= limit) {
            size.succeeded(blocks, 0);
            left -= blocks;
            pages++;
          } else {
            size.failed(blocks, hint);
            refused++;
          }
        }
      }
      // Halving from a first page of 1,000 blocks, and a search that ends soon.
      expect(refused).toBeLessThan(22 + pages * 0.06);
    }),
  );
});

it("keeps its size while connections break at random, and halves it while nearly all pages break", () => {
  const numbers = fc.record({ seed: fc.integer({ min: 0 }), most: fc.integer({ min: 1, max: 400 }) });
  fc.assert(
    fc.property(numbers, ({ seed, most }) => {
      const random = new Random(seed, 1);
      const [atRandom, ofSize] = [new PageSize(500), new PageSize(500)];
      for (let page = 0; page < 300; page++) {
        const blocks = atRandom.blocks;
        atRandom.started(blocks);
        if (random.unit() < 0.4) atRandom.broke(blocks);
        else atRandom.succeeded(blocks, 0);
      }
      for (let page = 0; page < 60; page++) {
        const blocks = ofSize.blocks;
        ofSize.started(blocks);
        if (blocks > most) ofSize.broke(blocks);
        else ofSize.succeeded(blocks, 0);
      }
      expect(atRandom.blocks).toBeGreaterThan(100);
      expect(ofSize.blocks).toBeLessThanOrEqual(2 * most);
    }),
    { numRuns: 200 },
  );
});

it.each([
  ["range 1000000 exceeds limit of 10000", 10_000],
  ["query block range exceeds server limit", undefined],
  ["query returns too many logs", undefined],
  ["larger than max block range", undefined],
  ["limit exceeded", undefined],
  ["block range too high", undefined],
  ["query returned more than 10000 results. Try with this block range [0x5B8D80, 0x5B8E00].", 129],
  [
    "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the " +
      "response size, or you can request any block range with a cap of 10K logs in the response. Based on your " +
      "parameters and the response size limit, this block range should work: [0x0, 0x3e7]",
    1_000,
  ],
  [
    "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, " +
      "this block range should work: [0x1, 0xa]. Upgrade to PAYG for expanded block range.",
    10,
  ],
  ["eth_getLogs is limited to a 10,000 range", 10_000],
  ["eth_getLogs and eth_newFilter are limited to a 10,000 blocks range", 10_000],
  ["exceed maximum block range: 50000", 50_000],
  ["block range is too wide: max is 2k blocks", undefined],
  ["block range exceeds 5 block limit", 5],
  ["this block range should work: [0x9, 0x1]", undefined],
])("takes from %j that %s blocks may work", (text, blocks) => {
  expect(suggestedBlocks(text)).toBe(blocks);
});
