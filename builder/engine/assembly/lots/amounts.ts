/** Sums and differences of exact amounts of some 64-bit limbs, least significant first. */

/** sum += amount, which has as many limbs or fewer; the caller makes sure that the sum fits. */
export function add(sum: usize, limbs: i32, amount: usize, amountLimbs: i32): void {
  let carry: u64 = 0;
  for (let k = 0; k < limbs; k++) {
    const before = load<u64>(sum + 8 * k);
    const added = before + (k < amountLimbs ? load<u64>(amount + 8 * k) : 0);
    const total = added + carry;
    carry = <u64>(added < before) | <u64>(total < added);
    store<u64>(sum + 8 * k, total);
  }
}

/** sum −= amount, which has as many limbs or fewer, and must not be larger. */
export function subtract(sum: usize, limbs: i32, amount: usize, amountLimbs: i32): void {
  let borrow: u64 = 0;
  for (let k = 0; k < limbs; k++) {
    const before = load<u64>(sum + 8 * k);
    const taken = k < amountLimbs ? load<u64>(amount + 8 * k) : 0;
    const difference = before - taken;
    store<u64>(sum + 8 * k, difference - borrow);
    borrow = <u64>(before < taken) | <u64>(difference < borrow);
  }
}

export function copy(to: usize, from: usize, limbs: i32): void {
  for (let k = 0; k < limbs; k++) store<u64>(to + 8 * k, load<u64>(from + 8 * k));
}

export function isNothing(amount: usize, limbs: i32): bool {
  let bits: u64 = 0;
  for (let k = 0; k < limbs; k++) bits |= load<u64>(amount + 8 * k);
  return bits === 0;
}

export function isGreater(amount: usize, other: usize, limbs: i32): bool {
  for (let k = limbs - 1; k >= 0; k--) {
    const one = load<u64>(amount + 8 * k);
    const another = load<u64>(other + 8 * k);
    if (one !== another) return one > another;
  }
  return false;
}
