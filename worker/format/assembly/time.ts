/** Times as text. */

export const DAY_SECONDS: u64 = 86_400;

/** The day that was written last, and its day of the month. */
let written: u32 = u32.MAX_VALUE - 1;
let writtenOfMonth: u32 = 31;

/** `YYYY-MM-DDT` for a number of days since 1970, always at the same place. Source: Howard Hinnant, "chrono-compatible low-level date algorithms". */
export function writeDate(at: usize, days: u32): void {
  // The next day of a month that has it: only that is new.
  if (days === written + 1 && writtenOfMonth < 28) {
    written = days;
    store<u16>(at, twoDigits(++writtenOfMonth), 8);
    return;
  }
  // Days since 1 March of year 0, so that a leap day is the last of its year.
  const shifted = days + 719_468;
  const era = shifted / 146_097;
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const monthFromMarch = (5 * dayOfYear + 2) / 153;
  const day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + u32(month <= 2);

  const century = year / 100;
  store<u16>(at, twoDigits(century));
  store<u16>(at, twoDigits(year - century * 100), 2);
  store<u8>(at, 0x2d, 4);
  store<u16>(at, twoDigits(month), 5);
  store<u8>(at, 0x2d, 7);
  store<u16>(at, twoDigits(day), 8);
  store<u8>(at, 0x54, 10);
  written = days;
  writtenOfMonth = day;
}

function twoDigits(value: u32): u16 {
  const tens = value / 10;
  return <u16>(0x3030 | tens | ((value - tens * 10) << 8));
}

/** `HH:MM:SS` for a second of the day: three numbers are split into digits at once. */
export function clock(second: u32): u64 {
  const minutes = second / 60;
  const hours = minutes / 60;
  const numbers = <u64>hours | ((<u64>(minutes - hours * 60)) << 24) | ((<u64>(second - minutes * 60)) << 48);
  const tens = ((numbers * 103) >> 10) & 0x000f_0000_0f00_000f;
  return 0x30_30_3a_30_30_3a_30_30 | tens | ((numbers - tens * 10) << 8);
}
