/** Commands in messages: whole, so that the reader can copy them. */

import { Command } from "commander";
import { expect, it } from "vitest";
import {
  advised,
  advisedBuild,
  advisedFetch,
  advising,
  commandLine,
  type GivenCommand,
  givenIn,
  PLACES,
  planned,
} from "../../builder/lib/advised.ts";
import { soprano } from "../commands/soprano.ts";

const COMMANDS = new Set(Object.values(PLACES).flatMap(({ of }): readonly string[] => of));

it("a command gets the options that say where the reader's things are, if it takes them", () => {
  const given = { command: "export", store: "r2://b" };
  expect(commandLine(given, "verify", "SIM")).toBe("soprano verify SIM --store r2://b");
  expect(commandLine(given, "keys", "list")).toBe("soprano keys list");
  expect(commandLine({ persist: "my state" }, "builds", "SIM")).toBe("soprano builds SIM --persist 'my state'");
  expect(commandLine({ persist: "x" }, "fetch", "it's.json")).toBe("soprano fetch 'it'\\''s.json'");
  expect(commandLine({ remote: true }, "keys", "list")).toBe("soprano keys list --remote");
  expect(commandLine({ remote: true }, "keys", "list", "--remote")).toBe("soprano keys list --remote");
  expect(commandLine({ rpc: ["https://n/KEY"] }, "fetch", "a.json")).toBe("soprano fetch a.json --rpc URL");
  expect(commandLine({}, "verify", "SIM")).toBe("soprano verify SIM");
});

it("what was given counts, not what is a default", () => {
  const program = new Command();
  const given: GivenCommand = {};
  program.hook("preAction", (_, command) => void Object.assign(given, givenIn(command)));
  program
    .command("serve")
    .option("--persist <dir>", "", "state")
    .option("--port <n>")
    .action(() => {});
  const list = program.command("keys").command("list");
  list.option("--remote").action(() => {});
  program.parse(["serve", "--port", "1"], { from: "user" });
  expect(given).toEqual({ command: "serve" });
  program.parse(["serve", "--persist", "here"], { from: "user" });
  expect(given).toEqual({ command: "serve", persist: "here" });
  program.parse(["keys", "list", "--remote"], { from: "user" });
  expect(given).toMatchObject({ command: "keys", remote: true });
});

it("whoever builds in stages plans, and whoever fetches knows whether there is a bucket", () => {
  expect(advised("verify", "SIM")).toBe("`soprano verify SIM`");
  expect(advisedBuild(undefined, "--full")).toBe("`soprano build ASSET.json --full`");
  advising({ command: "stage", work: "w" }, () => {
    expect(advisedBuild("a.json", "--full")).toBe("`soprano stage plan a.json --full --work w`");
    expect(planned("--memory")).toBe("--memory of soprano stage plan");
  });
  expect(planned("--memory")).toBe("--memory");
  const fetches = () => advisedFetch("a.json", "--repair");
  expect(advising({ command: "build" }, fetches)).toMatch(/`soprano fetch a.json --repair` \(with --store if/);
  expect(advising({ command: "fetch" }, fetches)).toBe("`soprano fetch a.json --repair`");
  expect(advising({ command: "build", store: "r2://b" }, fetches)).toBe(
    "`soprano fetch a.json --repair --store r2://b`",
  );
});

it.each([...COMMANDS])("soprano %s takes the options that are said to be its own", async (name) => {
  const { stdout } = await soprano(name, ...(name === "keys" ? ["list"] : []), "--help");
  for (const [option, { of }] of Object.entries(PLACES)) {
    expect(new RegExp(`^ +--${option}\\b`, "m").test(stdout), option).toBe((of as readonly string[]).includes(name));
  }
});
