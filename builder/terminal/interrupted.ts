/** Resolves at the next SIGINT or SIGTERM, in place of the end of the process. */
export function interrupted(): Promise<unknown> {
  return new Promise((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
}
