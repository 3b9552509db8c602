/** A work folder on a disk that is full. Only root can mount a small one. */

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { LocalFolder } from "../../builder/stages/local-folder.ts";
import { scratchFolder } from "../folders.ts";

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
