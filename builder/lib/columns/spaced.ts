/** `count` numbers from `first` on, `step` apart. A plain loop: `Float64Array.from` with a function takes ten times as long. */
export function spaced(first: number, step: number, count: number): Float64Array {
  const numbers = new Float64Array(count);
  for (let i = 0; i < count; i++) numbers[i] = first + i * step;
  return numbers;
}
