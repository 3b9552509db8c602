/** GET /v3/files/<ASSET>: the series objects that a manifest lists, as text. */

import { listedObjects, type Manifest } from "../../data-schema/stored.ts";
import { isoTimeWithoutZone } from "../../data-schema/text.ts";
import { filesPath, pathOf } from "../request/file-path.ts";
import type { TextPiece } from "./rows-and-pieces.ts";

/** Entries of a piece: some 20 kB. */
const ENTRIES = 50;

const encoder = new TextEncoder();

/** The list, in pieces. Manifests of version 1 know neither the whole SHA-256 of a file nor its times. */
export async function* fileListText(manifest: Manifest, origin: string): AsyncGenerator<TextPiece> {
  const { symbol, build, asOf } = manifest;
  let text = `${JSON.stringify({ asset: symbol, build, asOf }).slice(0, -1)},"files":[`;
  let entries = 0;
  for (const listed of listedObjects(manifest)) {
    const { resolution, metric, period, entry } = listed;
    const path = pathOf(listed);
    const { size, rows, hash, first, last } = entry;
    // JSON leaves out what is undefined.
    const file = {
      path,
      url: `${origin}${filesPath(symbol)}/${path}`,
      resolution,
      metric,
      period: period.name,
      bytes: size,
      rows,
      sha256: hash.length === 64 ? hash : undefined,
      first: first === undefined ? undefined : isoTimeWithoutZone(first),
      last: last === undefined ? undefined : isoTimeWithoutZone(last),
    };
    text += `${entries === 0 ? "" : ","}${JSON.stringify(file)}`;
    if (++entries % ENTRIES > 0) continue;
    yield { text: encoder.encode(text), points: 0 };
    text = "";
  }
  yield { text: encoder.encode(`${text}]}`), points: 0 };
}
