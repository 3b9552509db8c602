/** Leaves out each second item with the same key: what a contract that records every movement twice has moved. */
export function withoutTwins<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const open = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    if (open.delete(key)) return false;
    open.add(key);
    return true;
  });
}
