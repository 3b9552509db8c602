/**
 * Runs one asynchronous step for each item, several at once, and yields the results in order.
 *
 * @param start begins the step
 * @param cost of an item, from when its step begins until its result is consumed
 * @param budget for the costs of all items at once; a single item may exceed it
 */
export async function* prefetch<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  start: (item: T) => Promise<R>,
  cost: (item: T) => number,
  budget: number,
): AsyncGenerator<R> {
  const pending: { result: Promise<R>; cost: number }[] = [];
  let spent = 0;
  const oldest = async () => {
    const { result, cost } = pending.shift()!;
    const value = await result;
    spent -= cost;
    return value;
  };
  for await (const item of items) {
    const price = cost(item);
    while (pending.length > 0 && spent + price > budget) yield await oldest();
    const result = start(item);
    // Avoids an unhandled rejection if the consumer stops early.
    result.catch(() => {});
    pending.push({ result, cost: price });
    spent += price;
  }
  while (pending.length > 0) yield await oldest();
}
