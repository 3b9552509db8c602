/**
 * Runs one asynchronous step per item, in order, with several under way at once.
 *
 * @param start begins the step
 * @param cost what an item takes of the budget while it is under way or waits to be consumed
 * @param budget all that may be under way at once; one item always may
 */
export async function* ahead<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  start: (item: T) => Promise<R>,
  cost: (item: T) => number,
  budget: number,
): AsyncGenerator<R> {
  const begun: { result: Promise<R>; cost: number }[] = [];
  let spent = 0;
  const oldest = async () => {
    const { result, cost } = begun.shift()!;
    const value = await result;
    spent -= cost;
    return value;
  };
  for await (const item of items) {
    const price = cost(item);
    while (begun.length > 0 && spent + price > budget) yield await oldest();
    const result = start(item);
    // Whoever stops early never awaits the rest; their failures are nobody's.
    result.catch(() => {});
    begun.push({ result, cost: price });
    spent += price;
  }
  while (begun.length > 0) yield await oldest();
}
