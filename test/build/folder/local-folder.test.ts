/** A work folder on a disk. */

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { LocalFolder } from "../../../builder/build/folder/local-folder.ts";
import { scratchFolder } from "../../folders.ts";

/** A disk of 1 MB; undefined if it can't be mounted. */
function smallDisk(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const disk = scratchFolder();
  onTestFinished(() => void spawnSync("umount", ["--lazy", disk]));
  return spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]).status === 0 ? disk : undefined;
}

it("a file that the disk takes in part is not there", async ({ skip }) => {
  const disk = smallDisk() ?? skip("only root can mount a small disk");
  const folder = new LocalFolder(disk, "/assets/tok.json", false);
  // Written by one call of the system, which ends early without an error.
  const pieces = [new Uint8Array(900_000), new Uint8Array(900_000)];
  await expect(folder.write("events/0.parquet", pieces)).rejects.toThrow(
    `${disk}/events/0.parquet can't be written; the disk is full: make room, then try again.`,
  );
  expect(readdirSync(`${disk}/events`)).toEqual([]);
});

it("a new plan removes the files of attempts that were killed", async () => {
  const work = scratchFolder();
  const folder = new LocalFolder(`${work}/TOK`, "/assets/tok.json", true);
  await folder.make();
  await folder.write("map/0.json", [new Uint8Array([1])]);
  mkdirSync(`${work}/TOK/halves`);
  for (const name of ["halves/0.parquet.0a1b2c.part", "plan.json.3d4e5f.part"])
    writeFileSync(`${work}/TOK/${name}`, "");
  await folder.make();
  expect(readdirSync(`${work}/TOK`, { recursive: true }).sort()).toEqual(["halves", "map", "map/0.json"]);
});
