/** Publishes a build that was made elsewhere as `soprano build` does, without computing it again. */

import { Publication } from "../../../builder/published/publish/publication.ts";
import { DIGESTS, digestPieces } from "../../../builder/store/pieces.ts";
import type { ObjectStore } from "../../../builder/store/store.ts";
import { holdersPrefix } from "../../../data-schema/stored/holders/holder-objects.ts";
import { transfersPrefix } from "../../../data-schema/stored/large-transfers.ts";
import { checkpointKey, openTransfersKey } from "../../../data-schema/stored/objects.ts";
import { listedObjects, type Manifest, partsOf } from "../../../data-schema/stored.ts";

/** @param bytesOf a part of the build, by its key */
export async function publishMade(
  store: ObjectStore,
  manifest: Manifest,
  bytesOf: (key: string) => Uint8Array,
  reason: Parameters<Publication["finish"]>[1],
): Promise<void> {
  const { symbol, checkpoint } = manifest;
  const publication = await Publication.begin(store, manifest);
  await publication.putSeries(
    Array.from(listedObjects(manifest), ({ key, metric, resolution, period, entry }) => {
      return { metric, resolution, period: period.name, entry, bytes: bytesOf(key) };
    }),
  );
  const digestsOf = (bytes: Uint8Array) => digestPieces([bytes], DIGESTS);
  if (checkpoint) {
    const bytes = bytesOf(checkpointKey(symbol, checkpoint.hash));
    await publication.putCheckpoint(bytes, await digestsOf(bytes));
    if (checkpoint.transfers) {
      const open = bytesOf(openTransfersKey(symbol, checkpoint.transfers.hash));
      await publication.putOpenTransfers(new Blob([Uint8Array.from(open)]), await digestsOf(open));
    }
  }
  for (const { key } of partsOf(manifest)) {
    if (!key.startsWith(holdersPrefix(symbol)) && !key.startsWith(transfersPrefix(symbol))) continue;
    const bytes = bytesOf(key);
    await publication.putNamed(key, bytes, await digestsOf(bytes));
  }
  await publication.finish(manifest, reason);
}
