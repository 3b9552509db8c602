/** One log that a node leaves out among 20,000. */

import { describe, expect, it } from "vitest";
import { soprano } from "../commands/soprano.ts";
import { fakeEconomy } from "./chain/fake-chain.ts";
import { startFakeNode } from "./chain/fake-node.ts";
import { FetchFolder } from "./fetching.ts";

/** Two months and a day, a block each two minutes. */
const { chain, rows } = fakeEconomy({ seed: 4, blocks: 46_000, transfers: 20_000, holders: 2_000, interval: 120 });
const omitted = rows.findIndex(({ from, value }, index) => index > 9_000 && BigInt(from) > 0n && value > 0n);
const { from, to, block } = rows[omitted]!;

describe("one log left out among 20,000", () => {
  it("is found and named: with one node the fetch ends, and nothing can be built", async () => {
    const forgetful = await startFakeNode(chain, { omits: new Set([omitted]) });
    const folder = new FetchFolder(chain.token.address);
    const { status, stderr } = await folder.fetch([forgetful.url], "--quiet");
    expect(status).toBe(1);
    expect(stderr).toContain(from);
    expect(stderr).toContain(to);
    expect(folder.record).toMatchObject({ files: [], check: { status: "failed" } });
    const build = await soprano("build", folder.asset, "--persist", `${folder.path}/state`, "--quiet");
    expect(build).toMatchObject({ status: 1, stdout: "" });
    expect(build.stderr).toMatch(/soprano fetch/);
  });

  it("is mended from a second node, and the user is told which one left it out", async () => {
    const forgetful = await startFakeNode(chain, { omits: new Set([omitted]) });
    const sound = await startFakeNode(chain);
    const folder = new FetchFolder(chain.token.address);
    const { status, stderr } = await folder.fetch([forgetful.url, sound.url]);
    expect(status, stderr).toBe(0);
    expect(folder.record.check).toMatchObject({ status: "passed" });
    const fetched = await folder.rows();
    expect(fetched).toEqual(rows.filter((row) => row.time < Date.parse(folder.record.asOf) / 1000));
    // The sound node may have been asked for that page in the first place.
    const wasOmitted = forgetful.ranges.some((range) => range.from <= block && block <= range.to);
    if (wasOmitted) expect(stderr).toContain(new URL(forgetful.url).host);
  });
});
