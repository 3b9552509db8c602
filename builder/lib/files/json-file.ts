/** A JSON file that is replaced in one piece. */

import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";

/** Writes JSON to a file that appears whole or not at all. Rejects with the system's error. */
export async function replaceJson(file: string, content: object): Promise<void> {
  const unfinished = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(unfinished, `${JSON.stringify(content, null, 2)}\n`);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
