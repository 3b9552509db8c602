/** A single node that cuts its answers at a limit, and says nothing of it. */

import { describe, expect, it } from "vitest";
import { fakeEconomy } from "./chain/fake-chain.ts";
import { type FakeNodeOptions, startFakeNode } from "./chain/fake-node.ts";
import { FetchFolder } from "./fetching.ts";

/** Three days, a block a minute, some 380 transfers each. */
const { chain, rows } = fakeEconomy({ seed: 4, blocks: 4_500, transfers: 1_200, holders: 100, interval: 60 });
/** Ordinary nodes have no older ones. */
const STATES = 128;

const rowsUpTo = (asOf: string) => rows.filter(({ time }) => time < Date.parse(asOf) / 1000);

describe("a node that cuts its answers", () => {
  it.each<FakeNodeOptions>([
    { cutsAt: 100 },
    { cutsAt: 37, cutsTo: "last" },
    { cutsAt: 20, cutsTo: "whole blocks" },
    { cutsAt: 256, states: 1e6 },
  ])("gives all transfers: %o", async (options) => {
    const { url } = await startFakeNode(chain, { states: STATES, ...options });
    const folder = new FetchFolder(chain.token.address);
    expect(await folder.fetch([url], "--quiet")).toMatchObject({ status: 0, stderr: "" });
    expect(folder.record.check).toMatchObject({ status: "passed" });
    expect(await folder.rows()).toEqual(rowsUpTo(folder.record.asOf));
  });

  it("gives all those of a night that is one request, whose number tells nothing, once the check has found some missing", async () => {
    const node = await startFakeNode(chain, { states: STATES });
    const folder = new FetchFolder(chain.token.address);
    expect(await folder.fetch([node.url], "--quiet", "--check", "none", "--until", "2020-01-02")).toMatchObject({
      status: 0,
    });
    Object.assign(node.options, { cutsAt: 137 });
    const { status, stderr } = await folder.fetch([node.url]);
    expect(status, stderr).toBe(0);
    expect(stderr).toContain(`Fetched again from ${new URL(node.url).host}.`);
    expect(await folder.rows()).toEqual(rowsUpTo(folder.record.asOf));
  });
});
