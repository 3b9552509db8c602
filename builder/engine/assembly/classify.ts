/**
 * Classifies an address. The driver writes the edges, padded with values that nothing reaches. No loop exits early: the
 * branch would be unpredictable, and a misprediction costs more than all the comparisons.
 * Source: docs/methodology.md §3 and §4.
 */

import { EVEN, LOSS, PROFIT, packClassification } from "../classification";
import { limbs, reaches } from "./balance";
import { allocate } from "./memory";

/** Lower edges, in USD, of the value ranges but the first: six f64. */
export let valueEdges: usize = 0;
/** Lower edges, in seconds, of the age steps but the first: twelve i32. */
export let ageEdges: usize = 0;
/** Lower edges of the balance cohorts but the first: seven balances, and eight f64 of whole tokens. */
export let balanceEdges: usize = 0;
export let balanceEdgeTokens: usize = 0;

export function setupEdges(): void {
  valueEdges = allocate(8 * 6);
  ageEdges = allocate(4 * 12);
  balanceEdges = allocate(8 * 7 * limbs);
  balanceEdgeTokens = allocate(8 * 8);
}

/** Relative half-width of the break-even band. */
const BAND: f64 = 1e-9;
/** More than any edge of ages. */
const NO_AGE: f64 = 2147483647;

function sideAt(price: f64, basis: f64): u32 {
  const difference = price - basis;
  if (difference > BAND * price) return difference > BAND * basis ? PROFIT : EVEN;
  if (-difference > BAND * basis) return -difference > BAND * price ? LOSS : EVEN;
  return EVEN;
}

/** The nearest whole second, half up. */
export function roundToSecond(purchaseTime: f64): f64 {
  return Math.floor(purchaseTime + 0.5);
}

/**
 * @param held the balance in whole tokens
 * @param cohort as `balanceCohort` returns it
 * @returns the packed classification at a time (Unix seconds) and price (USD per token)
 */
export function classify(held: f64, basis: f64, purchaseTime: f64, cohort: u32, seconds: f64, price: f64): u32 {
  const usd = f64x2.splat(held * price);
  const ranges = i64x2.add(
    i64x2.add(f64x2.ge(usd, v128.load(valueEdges)), f64x2.ge(usd, v128.load(valueEdges, 16))),
    f64x2.ge(usd, v128.load(valueEdges, 32)),
  );
  const age = i32x4.splat(<i32>Math.min(seconds - roundToSecond(purchaseTime), NO_AGE - 1));
  const ages = i32x4.add(
    i32x4.add(i32x4.ge_s(age, v128.load(ageEdges)), i32x4.ge_s(age, v128.load(ageEdges, 16))),
    i32x4.ge_s(age, v128.load(ageEdges, 32)),
  );
  return packClassification(count2(ranges), cohort, count4(ages), sideAt(price, basis));
}

/** @param held the balance in whole tokens */
export function balanceCohort(balance: usize, held: f64): u32 {
  const tokens = f64x2.splat(held);
  const edges0 = v128.load(balanceEdgeTokens);
  const edges1 = v128.load(balanceEdgeTokens, 16);
  const edges2 = v128.load(balanceEdgeTokens, 32);
  const edges3 = v128.load(balanceEdgeTokens, 48);
  const above = i64x2.add(
    i64x2.add(f64x2.gt(tokens, edges0), f64x2.gt(tokens, edges1)),
    i64x2.add(f64x2.gt(tokens, edges2), f64x2.gt(tokens, edges3)),
  );
  const equal = v128.or(
    v128.or(f64x2.eq(tokens, edges0), f64x2.eq(tokens, edges1)),
    v128.or(f64x2.eq(tokens, edges2), f64x2.eq(tokens, edges3)),
  );
  let cohort = count2(above);
  // Rounding to a double keeps the order, but can make two different amounts equal: then the exact balance decides.
  if (v128.any_true(equal)) {
    while (held === load<f64>(balanceEdgeTokens + 8 * cohort) && reaches(balance, balanceEdges + 8 * limbs * cohort))
      cohort++;
  }
  return cohort;
}

/** The number of true lanes of two, or four: a true lane is −1. */
function count2(lanes: v128): u32 {
  return -(<i32>(i64x2.extract_lane(lanes, 0) + i64x2.extract_lane(lanes, 1)));
}
function count4(lanes: v128): u32 {
  const sum = i32x4.extract_lane(lanes, 0) + i32x4.extract_lane(lanes, 1);
  return -(sum + i32x4.extract_lane(lanes, 2) + i32x4.extract_lane(lanes, 3));
}
