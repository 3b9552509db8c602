/** Reads input files, which must be what they were when they were digested: before and after. */

import { Failure } from "../lib/failure.ts";
import type { DigestedInput } from "./digest-input.ts";
import { identify, isSame } from "./files/digest-cache.ts";
import { digestFile } from "./files/files.ts";

type Digested = Pick<DigestedInput, "file" | "sha256" | "identity">;

/** @throws {Failure} a file is another one now, whatever else went wrong; or as `read` */
export async function whileUnchanged<T>(files: readonly Digested[], read: () => Promise<T>): Promise<T> {
  await check(files);
  try {
    return await read();
  } finally {
    // What was read is what was digested. A file that was replaced meanwhile may have seemed damaged.
    await check(files);
  }
}

async function check(files: readonly Digested[]): Promise<void> {
  for (const { file, sha256, identity } of files) {
    const { name, path } = file;
    const now = await identify(path).catch((error: NodeJS.ErrnoException): undefined => {
      // Any other error may pass, such as those of storage on a network.
      if (error.code !== "ENOENT") throw error;
    });
    if (now && isSame(now, identity)) continue;
    // A machine may have a copy of its own.
    if (now?.size === identity.size && (await digestFile(path)).sha256 === sha256) continue;
    throw new Failure(`${name} has ${now ? "changed" : "gone"} since the build was planned: build again.`);
  }
}
