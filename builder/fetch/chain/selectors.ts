/** Selectors of the functions that are called: the first four bytes of the signature's Keccak-256, which a test computes. */
export const SELECTORS = {
  // Tokens
  "name()": "0x06fdde03",
  "symbol()": "0x95d89b41",
  "decimals()": "0x313ce567",
  "totalSupply()": "0x18160ddd",
  "balanceOf(address)": "0x70a08231",
  "owner()": "0x8da5cb5b",
  "getOwner()": "0x893d20e8",
  "supportsInterface(bytes4)": "0x01ffc9a7",
  // Pools of Uniswap, and its factories
  "token0()": "0x0dfe1681",
  "token1()": "0xd21220a7",
  "getReserves()": "0x0902f1ac",
  "slot0()": "0x3850c7bd",
  "liquidity()": "0x1a686502",
  "tickSpacing()": "0xd0c93a7c",
  "stable()": "0x22be3de1",
  "lmPool()": "0x540d4918",
  "reserve0CumulativeLast()": "0xbf944dbc",
  "reserve1CumulativeLast()": "0xc245febc",
  "getPool(address,address,bool)": "0x79bc57d5",
  "getPool(address,address,int24)": "0x28af8d0b",
  "observations(uint256)": "0x252c09d7",
  "price0CumulativeLast()": "0x5909c0d5",
  "price1CumulativeLast()": "0x5a3d5493",
  "getPair(address,address)": "0xe6a43905",
  "getPool(address,address,uint24)": "0x1698ee82",
  // Chainlink's feeds
  "description()": "0x7284e416",
  "aggregator()": "0x245a7bfc",
  "phaseId()": "0x58303b10",
  "phaseAggregators(uint16)": "0xc1597304",
  "latestRoundData()": "0xfeaf968c",
  "latestRound()": "0x668a0f02",
  "latestAnswer()": "0x50d25bcd",
  "latestTimestamp()": "0x8205bf6a",
  "getRoundData(uint80)": "0x9a6fc8f5",
  "getTimestamp(uint256)": "0xb633620c",
} as const;

export type Signature = keyof typeof SELECTORS;
