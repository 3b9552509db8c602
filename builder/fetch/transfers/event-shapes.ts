/** How contracts record their transfers: a table of events by kind. Adding a kind is a row here and a name in builder/input/asset/source.ts. */

import type { EventKind } from "../../input/asset/source.ts";
import { TRANSFER_TOPIC } from "../../input/shapes/made-cells.ts";

/**
 * Where a field of a transfer is in a log: an indexed parameter (topic 1 to 3), a word of the data from 0, the zero
 * address, or the owner of the contract, who appears in no field.
 */
export type Field = { topic: number } | { word: number } | "zero" | "owner";

/** What the logs of an event with a certain number of topics mean. */
export interface EventForm {
  from: Field;
  to: Field;
  value: Field;
  /** Words of 32 bytes in the data. */
  words: number;
}

export interface EventShape {
  /** What topic 0 is the Keccak-256 of. */
  signature: string;
  topic0: string;
  /** By the number of topics, topic 0 included. A text says why such logs can't be read; no contract emits other numbers. */
  forms: Readonly<Record<number, EventForm | string>>;
}

const TRANSFER: EventShape = {
  signature: "Transfer(address,address,uint256)",
  topic0: TRANSFER_TOPIC,
  forms: {
    1: { from: { word: 0 }, to: { word: 1 }, value: { word: 2 }, words: 3 },
    2: "only one of the two addresses is indexed, so it's ambiguous which: Soprano reads none or both",
    3: { from: { topic: 1 }, to: { topic: 2 }, value: { word: 0 }, words: 1 },
    4: "all three parameters are indexed, as ERC-721 does: the contract is a collection of non-fungible tokens, not an ERC-20",
  },
};

const BURN: EventShape = {
  signature: "Burn(address,uint256)",
  topic0: "0xcc16f5dbb4873280815c1ee09dbd06736cffcc184412cf7a71a0fdb75d397ca5",
  forms: { 2: { from: { topic: 1 }, to: "zero", value: { word: 0 }, words: 1 } },
};

/** The events of each kind. Of some, a parameter that is not the standard's: see docs. */
export const EVENT_SHAPES: Readonly<Record<EventKind, readonly EventShape[]>> = {
  erc20: [TRANSFER],

  // Ether in and out: https://etherscan.io/address/0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2#code
  weth9: [
    TRANSFER,
    {
      signature: "Deposit(address,uint256)",
      topic0: "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
      forms: { 2: { from: "zero", to: { topic: 1 }, value: { word: 0 }, words: 1 } },
    },
    {
      signature: "Withdrawal(address,uint256)",
      topic0: "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
      forms: { 2: { from: { topic: 1 }, to: "zero", value: { word: 0 }, words: 1 } },
    },
  ],

  // DappHub's token, as MKR and SAI: https://etherscan.io/address/0x9f8f72aa9304c8b593d555f12ef6589cc3a579a2#code
  "ds-token": [
    TRANSFER,
    {
      signature: "Mint(address,uint256)",
      topic0: "0x0f6798a560793a54c3bcfe86a93cde1e73087d944c0ea20544137d4121396885",
      forms: { 2: { from: "zero", to: { topic: 1 }, value: { word: 0 }, words: 1 } },
    },
    BURN,
  ],

  // OpenZeppelin's BurnableToken 1.0 to 1.5, whose burns fire no Transfer, where mints do (from 1.3 on). From 1.6 on, both do:
  // erc20. https://github.com/OpenZeppelin/openzeppelin-contracts/blob/v1.5.0/contracts/token/ERC20/BurnableToken.sol
  "zeppelin-burn": [TRANSFER, BURN],

  // Tether: https://etherscan.io/address/0xdac17f958d2ee523a2206206994597c13d831ec7#code
  "issue-redeem": [
    TRANSFER,
    {
      signature: "Issue(uint256)",
      topic0: "0xcb8241adb0c3fdb35b70c24ce35c5eb0c17af7431c99f827d44a445ca624176a",
      forms: { 1: { from: "zero", to: "owner", value: { word: 0 }, words: 1 } },
    },
    {
      signature: "Redeem(uint256)",
      topic0: "0x702d5967f45f6513a38ffc42d6ba9bf230bd40e8f53b16363c7eb4fd2deb9a44",
      forms: { 1: { from: "owner", to: "zero", value: { word: 0 }, words: 1 } },
    },
    {
      signature: "DestroyedBlackFunds(address,uint256)",
      topic0: "0x61e6e66b0d6339b2980aecc6ccc0039736791f0ccde9ed512e789a7fbdd698c6",
      forms: { 1: { from: { word: 0 }, to: "zero", value: { word: 1 }, words: 2 } },
    },
  ],
};
