/** How well the rules find the deposit addresses of a simulated economy, whose exchanges have some: docs/methodology.md#deposit-addresses. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { detectDeposits } from "../../../builder/build/deposits/detect.ts";
import { parametersOf } from "../../../builder/demo/simulate/parameters.ts";
import { simulate } from "../../../builder/demo/simulate/simulate.ts";
import { AddressBook } from "../../../builder/demo/simulate/simulated-addresses.ts";
import { TokenHistory } from "../../../builder/demo/simulate/simulated-history.ts";
import { readAsset } from "../../../builder/input/asset/asset.ts";
import { digestInput } from "../../../builder/input/digest-input.ts";
import { surveyInput } from "../../../builder/input/survey.ts";
import { newFolder } from "../../folders.ts";

it("nine in ten of what they find are deposit addresses, and they find seven in eight of these", async () => {
  const out = newFolder();
  const options = { out, seed: 1, transfers: 50_000, days: 400 };
  const { assetPath } = await simulate(options);
  const parameters = parametersOf(options);
  const book = new AddressBook(parameters.seed);
  const history = new TokenHistory(parameters);
  for (const _ of history.events());
  const truth = new Set(
    history.economy.exchanges.flatMap(({ deposits }) => deposits.map((account) => book.text(account))),
  );
  // Exchanges label their own wallets, and nobody the addresses of their customers.
  const labels = join(out, "exchanges.csv");
  const wallets = readFileSync(labels, "utf8").split("\n");
  writeFileSync(labels, wallets.filter((row) => !truth.has(row.slice(0, row.indexOf(",")))).join("\n"));

  const asset = await readAsset(assetPath);
  const survey = await surveyInput(asset, await digestInput(asset));
  const found = await detectDeposits(asset, survey, { folder: newFolder(), memory: 2 ** 29, threads: 1 });
  const right = found.filter(({ address }) => truth.has(address)).length;
  rmSync(out, { recursive: true });
  expect(truth.size).toBeGreaterThan(300);
  console.log(`${found.length} found, ${right} of them right, of ${truth.size}`);
  expect(right / found.length).toBeGreaterThan(0.9);
  expect(right / truth.size).toBeGreaterThan(0.85);
});
