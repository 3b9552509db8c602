/** Resolves at the next SIGINT or SIGTERM, so that the program can end in order. */
export function interrupted(): Promise<unknown> {
  return new Promise((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
}
