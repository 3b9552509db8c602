/** What providers say when they refuse a range of blocks, word for word but for the numbers. */

export interface RangeRefused {
  from: number;
  to: number;
  /** Blocks, or logs, that would be taken. */
  limit: number;
}

export interface Provider {
  status?: number;
  code: number;
  text(range: RangeRefused): string;
}

const hex = (value: number) => `0x${value.toString(16)}`;
const fitting = ({ from, limit }: RangeRefused) => `[${hex(from)}, ${hex(from + limit - 1)}]`;

export const PROVIDERS = {
  infura: {
    code: -32005,
    text: (range) => `range ${range.to - range.from + 1} exceeds limit of ${range.limit}`,
  },
  "infura, results": {
    code: -32005,
    text: (range) => `query returned more than 10000 results. Try with this block range ${fitting(range)}.`,
  },
  alchemy: {
    status: 400,
    code: -32602,
    text: (range) =>
      "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the " +
      "response size, or you can request any block range with a cap of 10K logs in the response. Based on your " +
      `parameters and the response size limit, this block range should work: ${fitting(range)}`,
  },
  "alchemy, free": {
    status: 400,
    code: -32600,
    text: (range) =>
      `Under the Free tier plan, you can make eth_getLogs requests with up to a ${range.limit} block range. Based on ` +
      `your parameters, this block range should work: ${fitting(range)}. Upgrade to PAYG for expanded block range.`,
  },
  quicknode: {
    status: 413,
    code: -32614,
    text: ({ limit }) => `eth_getLogs is limited to a ${limit.toLocaleString("en")} range`,
  },
  ankr: { code: -32062, text: () => "block range is too wide" },
  erigon: { code: -32000, text: () => "query block range exceeds server limit" },
  "erigon, logs": { code: -32000, text: () => "query returns too many logs" },
  morph: { code: -32000, text: () => "larger than max block range" },
  bsc: { code: -32005, text: () => "limit exceeded" },
  "bsc, high": { code: -32000, text: () => "block range too high" },
  geth: { code: -32002, text: () => "request timed out" },
  "a wrong suggestion": {
    code: -32602,
    text: ({ from, to }) => `this block range should work: [${hex(from)}, ${hex(to - 1)}]`,
  },
  "a suggestion elsewhere": { code: -32602, text: () => "this block range should work: [0x0, 0x1]" },
  "no reason": { code: -32603, text: () => "Internal error" },
} satisfies Record<string, Provider>;

export type ProviderName = keyof typeof PROVIDERS;
