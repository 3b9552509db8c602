import { tmpdir } from "node:os";
import { Failure, writeProblem } from "../../lib/failure.ts";
import { type TemporaryFolder, temporaryFolder } from "../../lib/files/temporary-folder.ts";

/**
 * Makes a folder for what a build need not keep in memory.
 *
 * @throws {Failure} it can't be made
 */
export function workFolder(given?: string): TemporaryFolder {
  const parent = given ?? tmpdir();
  try {
    return temporaryFolder(parent, "soprano-build");
  } catch (error) {
    throw new Failure(
      `The work folder ${parent} can't be used (${writeProblem(error)}), or choose another with ${given === undefined ? "TMPDIR" : "--work"}.`,
    );
  }
}
