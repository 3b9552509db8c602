/** A build can't go on from its checkpoint, and has to start from the first transfer. The message says why, completing "because …". */
export class StartOver extends Error {
  override name = "StartOver";
}
