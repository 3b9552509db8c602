/** How far a linear axis reaches, for data from `min` to `max`: from zero, unless that would press the data flat. */
export function linearRange(min: number, max: number): [number, number] {
  if (min === max) return min === 0 ? [0, 1] : linearRange(min - Math.abs(min) / 20, max + Math.abs(max) / 20);
  const pad = (max - min) * 0.06;
  const isNearZero = (near: number, far: number) => near * far >= 0 && Math.abs(near) < Math.abs(far) * 0.5;
  return [min >= 0 && isNearZero(min, max) ? 0 : min - pad, max <= 0 && isNearZero(max, min) ? 0 : max + pad];
}
