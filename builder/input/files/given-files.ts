/** Files that the command line names. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Failure } from "../../lib/failure.ts";
import type { InputFile } from "./files.ts";

/** @throws {Failure} a path leads to no file */
export async function filesGiven(paths: readonly string[]): Promise<InputFile[]> {
  const files: InputFile[] = [];
  for (const path of paths) {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      throw new Failure(
        `${path} ${error.code === "ENOENT" ? "does not exist" : `can't be read (${error.code})`}; correct the path.`,
      );
    });
    if (!found.isFile()) throw new Failure(`${path} is not a file; name the files in it.`);
    files.push({ name: path, path: resolve(path), bytes: found.size });
  }
  return files;
}
