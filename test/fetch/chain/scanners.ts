/** What the scanners answer on a chain that was made up. */

import {
  BALANCE_SCANNER,
  CODE_READER,
  CODE_SCANNER,
  SCANNER_ADDRESS,
  VIEW_SCANNER,
} from "../../../builder/fetch/chain/scan/scanner.ts";
import { SELECTORS } from "../../../builder/fetch/chain/selectors.ts";

/** The state of a block. */
export interface ScannedState {
  /** What its code learns of the block: TIMESTAMP, the number, and BLOCKHASH of the one before. */
  time: number;
  number: number;
  parentHash: string;
  /** Digits without 0x; undefined if it reverts. */
  call(to: string, data: string): string | undefined;
  /** Hexadecimal; 0x for none. */
  code(address: string): string;
}

const word = (value: number) => value.toString(16).padStart(64, "0");
const addressesIn = (digits: string) => (digits.match(/.{40}/g) ?? []).map((one) => `0x${one}`);

/** What each answers after the seal, by its code. */
const ANSWERS: Readonly<Record<string, (digits: string, state: ScannedState) => string>> = {
  [BALANCE_SCANNER](digits, state) {
    const [token, ...holders] = addressesIn(digits);
    const balances = holders.map((holder) =>
      state.call(token!, `${SELECTORS["balanceOf(address)"]}${holder.slice(2).padStart(64, "0")}`),
    );
    return balances.map((balance) => (balance?.length === 64 ? `01${balance}` : `00${word(0)}`)).join("");
  },
  [CODE_SCANNER]: (digits, state) =>
    addressesIn(digits)
      .map((address) => (/^0x(ef0100.{40})?$/.test(state.code(address)) ? "00" : "01"))
      .join(""),
  [CODE_READER]: (digits, state) => state.code(`0x${digits}`).slice(2),
  [VIEW_SCANNER](digits, state) {
    let answers = "";
    for (let at = 0; at < digits.length; ) {
      const to = `0x${digits.slice(at, at + 40)}`;
      const end = at + 44 + 2 * Number(`0x${digits.slice(at + 40, at + 44)}`);
      const answer = state.call(to, `0x${digits.slice(at + 44, end)}`);
      answers += `${answer === undefined ? "00" : "01"}${word((answer ?? "").length / 2)}${answer ?? ""}`;
      at = end;
    }
    return answers;
  },
};

interface ScanCall {
  to?: string | undefined;
  data?: string | undefined;
}

/** @returns the answer of a scanner; undefined if the call is not one of a scanner */
export function scanned(
  { to, data = "0x" }: ScanCall,
  overrides: Record<string, { code?: string }> | undefined,
  state: ScannedState,
): string | undefined {
  const own = to === undefined ? undefined : overrides?.[SCANNER_ADDRESS]?.code;
  const created = to === undefined && Object.keys(ANSWERS).find((code) => data.includes(code.slice(2)));
  const code = own ?? created;
  const answer = code && ANSWERS[code];
  if (!answer) return undefined;
  const digits = own ? data.slice(2) : data.slice(data.indexOf(code.slice(2)) + code.length - 2);
  return `0x${word(state.time)}${word(state.number)}${state.parentHash.slice(2)}${answer(digits, state)}`;
}
