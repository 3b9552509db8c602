/** Manifests as they are stored. */

import * as v from "valibot";
import { isPlaced } from "../packs.ts";
import { type Manifest, manifestSchema, READABLE_VERSIONS } from "./manifest.ts";
import { partsOf } from "./references.ts";

/** A manifest that this version cannot read. The message names the field, but not its value. */
export class ManifestError extends Error {
  override name = "ManifestError";
}

/**
 * Reads a manifest.
 *
 * @throws {ManifestError} not JSON, another schema version, or a field that is missing, unknown or malformed
 */
export function parseManifest(text: string): Manifest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ManifestError("the manifest is not JSON");
  }
  const version = (json as { schema?: unknown } | null)?.schema;
  if (!READABLE_VERSIONS.some((known) => known === version)) {
    throw new ManifestError(
      `the manifest has schema version ${JSON.stringify(version)}, this reader knows ${READABLE_VERSIONS.join(" and ")}`,
    );
  }
  const result = v.safeParse(manifestSchema, json);
  if (!result.success) {
    const path = v.getDotPath(result.issues[0]) ?? "the manifest";
    throw new ManifestError(`the manifest's field ${path} is missing, unknown or malformed`);
  }
  const misplaced = partsOf(result.output).find((part) => !isPlaced(result.output, part));
  if (misplaced) throw new ManifestError(`the manifest places ${misplaced.key} outside its packs`);
  return result.output;
}
