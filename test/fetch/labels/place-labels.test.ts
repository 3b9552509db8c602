import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { type PlaceLabelsOptions, placeLabels } from "../../../builder/fetch/labels/place-labels.ts";
import { readShippedLabels } from "../../../builder/fetch/labels/shipped.ts";
import { Failure } from "../../../builder/lib/failure.ts";
import { scratchFolder } from "../../folders.ts";

const first = { chainId: 1, labels: "default", placed: undefined, recheck: false } as const;
const VERSION = "ethereum-2026-11-27";

function asset() {
  const folder = scratchFolder();
  const path = join(folder, "exchanges.csv");
  const place = async (options: Partial<PlaceLabelsOptions> = {}) => {
    const { csv, ...placed } = await placeLabels({ ...first, folder, ...options });
    if (csv !== undefined) writeFileSync(path, csv);
    return placed;
  };
  return { path, place, text: () => readFileSync(path, "utf8") };
}

it("the first fetch takes today's labels", async () => {
  const { place, text } = asset();
  expect(await place()).toEqual({ version: VERSION, notices: [] });
  expect(text()).toBe((await readShippedLabels(1)).csv);
});

it("later ones keep what is there", async () => {
  const { path, place, text } = asset();
  const older = "address,exchange,source\n";
  writeFileSync(path, older);
  expect(await place({ placed: "ethereum-2019-01" })).toEqual({ version: "ethereum-2019-01", notices: [] });
  expect(text()).toBe(older);
});

it("a first fetch that was killed before fetch.json starts again", async () => {
  const { path, place, text } = asset();
  writeFileSync(path, "address,exch");
  await place();
  expect(text()).toBe((await readShippedLabels(1)).csv);
});

it("--recheck labels says what changes, and replaces them", async () => {
  const { path, place, text } = asset();
  await place();
  const shipped = text();
  const [header, one, two, ...rest] = shipped.trimEnd().split("\n");
  const [gone, [address, exchange]] = [`0x${"ff".repeat(20)}`, two!.split(",")];
  writeFileSync(path, [header, `${address},kraken,x`, ...rest, `${gone},zed,x`, ""].join("\n"));
  const { version, notices } = await place({ placed: "ethereum-2019-01", recheck: true });
  const [added, its] = one!.split(",");
  expect([version, notices]).toEqual([
    VERSION,
    [
      `Exchange labels ${VERSION} replace ethereum-2019-01: 3 labels changed: ${added} (${its}, was none), ` +
        `${address} (${exchange}, was kraken), ${gone} (none, was zed). If any of them has held the token, the next build is a full one.`,
    ],
  ]);
  expect(text()).toBe(shipped);
  expect((await place({ placed: VERSION, recheck: true })).notices).toEqual([
    `The exchange labels have not changed since ${VERSION}.`,
  ]);
});

it("many changed labels are counted", async () => {
  const { path, place } = asset();
  writeFileSync(path, "address,exchange,source\n");
  const { notices } = await place({ placed: "ethereum-2019-01", recheck: true });
  expect(notices[0]).toMatch(/: 2,130 labels changed: (0x\w{40} \([\w. ]+, was none\), ){9}0x.* and 2120 more\. If/);
});

it("a chain without labels gets a table without rows, and a notice", async () => {
  const { place, text } = asset();
  expect(await place({ chainId: 31_337 })).toEqual({
    version: "none",
    notices: ['Soprano ships no exchange labels for chain 31337: name your own as "exchanges".'],
  });
  expect(text()).toBe("address,exchange,name,source,date\n");
});

it("an asset that began before labels of its chain shipped keeps none, and is told of them", async () => {
  const { path, place, text } = asset();
  const none = "address,exchange,source\n";
  writeFileSync(path, none);
  const told = ["Soprano ships exchange labels for this chain now: --recheck labels takes them."];
  expect(await place({ chainId: 8453, placed: "none" })).toEqual({ version: "none", notices: told });
  expect(text()).toBe(none);
  expect(await place({ chainId: 31_337, placed: "none" })).toEqual({ version: "none", notices: [] });
  const { version, notices } = await place({ chainId: 8453, placed: "none", recheck: true });
  expect([version, notices[0]]).toEqual([
    "base-2026-11-27",
    expect.stringMatching(/^Exchange labels base-2026-11-27 replace none: 68 labels changed: /),
  ]);
});

it("an asset without labels gets none", async () => {
  const { path, place } = asset();
  expect(await place({ labels: "none" })).toEqual({ version: undefined, notices: [] });
  expect(existsSync(path)).toBe(false);
});

it("nothing changes before the commit", async () => {
  const { path } = asset();
  await placeLabels({ ...first, folder: dirname(path) });
  expect(existsSync(path)).toBe(false);
});

it("lost labels are not replaced by others without a word", async () => {
  const { path, place } = asset();
  await place();
  rmSync(path);
  await expect(place({ placed: VERSION })).rejects.toThrow(
    new Failure(`${path} is missing: restore it, or take today's labels with --recheck labels.`),
  );
  expect((await place({ placed: VERSION, recheck: true })).version).toBe(VERSION);
});
