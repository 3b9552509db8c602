/** A block that a node may not have is soon believed to be missing; an answer that was cut short on its way says nothing of it. */

import { expect, it } from "vitest";
import { finalizedBlock, findBlock, hashesAt } from "../../../builder/fetch/chain/blocks.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { EAGER } from "./patience.ts";
import { send, startServer } from "./rpc-server.ts";

const HASH = `0x${"ab".repeat(32)}`;
const BLOCK = { number: "0x64", hash: HASH, parentHash: `0x${"cd".repeat(32)}`, timestamp: "0x5f5e100" };

/** A lone node that has cut so many answers short before it sends one whole, and how often it was asked for a header. */
async function loneNode(cuts: number, result: unknown) {
  const counts = { asked: 0 };
  const url = await startServer(
    ({ method }) => ({ result: method === "eth_chainId" ? "0x1" : result }),
    (body, response) => {
      if ([body].flat()[0]!.method !== "eth_getBlockByNumber" || counts.asked++ >= cuts) return false;
      return send(response, 200, '{"jsonrpc":"2.0","id":1,"result":{"number":"0x64","ha');
    },
  );
  return { nodes: await openNodes([url], { patience: EAGER }), counts };
}

it.each([0, 1, 4, 6])("a header is read although %d answers before it were cut short", async (cuts) => {
  expect(await hashesAt((await loneNode(cuts, BLOCK)).nodes, 100)).toMatchObject([{ hash: HASH }]);
  expect(await findBlock((await loneNode(cuts, BLOCK)).nodes, 100)).toMatchObject({ hash: HASH });
  expect(await finalizedBlock((await loneNode(cuts, BLOCK)).nodes)).toMatchObject({ hash: HASH });
});

it("a node is not asked time and again for a block that it says it lacks", async () => {
  const compared = await loneNode(0, null);
  await expect(hashesAt(compared.nodes, 100)).rejects.toThrow("eth_getBlockByNumber");
  expect(compared.counts.asked).toBe(2);
  const found = await loneNode(0, null);
  expect(await findBlock(found.nodes, 100)).toBeUndefined();
  expect(found.counts.asked).toBe(1);
  const final = await loneNode(0, null);
  await expect(finalizedBlock(final.nodes)).rejects.toThrow("Use --confirmations N");
  expect(final.counts.asked).toBe(5);
});
