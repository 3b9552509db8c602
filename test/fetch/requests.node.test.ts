/** What a night of one asset asks of its node: requests, a batch being one, and calls, as `npm run bench:night` counts them. */

import { expect, it } from "vitest";
import { fakeEconomy } from "./chain/fake-chain.ts";
import { startFakeNode } from "./chain/fake-node.ts";
import { FetchFolder } from "./fetching.ts";

/** Blocks, one a minute. */
const HOUR = 60;
const DAY = 24 * HOUR;
/** Until the last block of a day or hour is final. */
const LATER = 33;

it.each([
  { night: "a night with two transfers", step: DAY, from: 20 * DAY, rows: 2, requests: 7, calls: 11 },
  { night: "a quiet night after sixty", step: DAY, from: 91 * DAY, rows: 0, requests: 6, calls: 8 },
  { night: "a quiet hour", step: HOUR, from: 20 * DAY, rows: 0, requests: 6, calls: 8 },
])("$night takes $requests requests", async ({ step, from, rows, requests, calls }) => {
  const economy = { interval: 60, confirmations: 20, holders: 4 };
  const { chain, rows: all } = fakeEconomy({ ...economy, blocks: 100 * DAY, transfers: 200 });
  const within = (begin: number) => all.filter(({ block }) => block >= begin && block < begin + step).length;
  let begin = from;
  while (within(begin) !== rows) begin += step;
  const node = await startFakeNode(chain, { states: 128 });
  const folder = new FetchFolder(chain.token.address);
  const fetchAt = async (head: number) => {
    chain.head = head;
    const [sent, asked] = [node.requests, node.asked.length];
    const { status, stderr } = await folder.fetch([node.url], ...(step === HOUR ? ["--hours"] : []));
    expect(status, stderr).toBe(0);
    return { requests: node.requests - sent, calls: node.asked.length - asked };
  };
  // Months, then days: those of the last one have files of their own.
  await fetchAt(begin - step + LATER);
  await fetchAt(begin + LATER);
  const before = (await folder.rows()).length;
  expect(await fetchAt(begin + step + LATER)).toEqual({ requests, calls });
  expect((await folder.rows()).length - before).toBe(rows);
});
