/**
 * Runs one asynchronous step for each item, several at once, and yields the results in order.
 *
 * @param start begins the step
 * @param mayStart whether an item's step may begin while so many results are pending; always if there are none
 */
export async function* sideBySide<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  start: (item: T) => Promise<R>,
  mayStart: (item: T, pending: number) => boolean,
): AsyncGenerator<R> {
  const pending: Promise<R>[] = [];
  for await (const item of items) {
    while (!mayStart(item, pending.length)) yield await pending.shift()!;
    const result = start(item);
    // Avoids an unhandled rejection if the consumer stops early.
    result.catch(() => {});
    pending.push(result);
  }
  while (pending.length > 0) yield await pending.shift()!;
}
