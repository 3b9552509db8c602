/** What tasks find, as their results: later tasks read it by `readResults`. */

import type { LotMethod } from "../../../data-schema/registry.ts";
import type { IndexPlace } from "../../../data-schema/stored.ts";
import type { BuildPeriods } from "../../engine/calendar.ts";
import type { DayInflow } from "../../engine/deposits.ts";
import type { DayBlocks } from "../../engine/flows.ts";
import type { Checkpoint, DayTally, Overdraft } from "../../engine/history.ts";
import type { LabelCounts } from "../../input/labels/address-labels.ts";
import type { ShareFacts } from "../../input/transfers/shares/share.ts";
import type { SeriesFile } from "../../published/objects/encode-series.ts";
import type { PutElsewhere } from "../../published/publish/publication.ts";
import type { Digests } from "../../store/pieces.ts";
import type { WrittenRows } from "../checkpoint/checkpoint-file.ts";
import type { WrittenLots } from "../checkpoint/lot-state.ts";
import type { DigestedDay } from "../checkpoint/provenance.ts";

/** By the kind of the task. */
export interface Results {
  map: RunFacts;
  divide: null;
  replay: PartitionFacts;
  flows: FlowFacts;
  holders: HolderFacts;
  periods: Cuts;
  hours: Written;
  blocks: Written;
}

/** What is known of a run. */
export interface RunFacts extends ShareFacts {
  /** Its days with events, ascending. */
  days: (DayTally & DigestedDay)[];
  /** 32-bit words of each value in `halves`. */
  words: number;
  /** The inflow of exchanges by day; absent where there are no deposit addresses. */
  inflow?: DayInflow[];
}

/** What is known of a replayed partition. */
export interface PartitionFacts {
  /** The number of addresses with a balance at the end, and the sum of their balances, raw. */
  holders: number;
  supply: bigint;
  /** Distinct addresses of the events. */
  addresses: number;
  /** 32-bit words of each balance of `closing`, and how many of them the largest needs. */
  words: number;
  wordsInUse: number;
  /** The first overdraft: the events after it were not replayed. */
  overdraft: Overdraft | undefined;
}

/** What is known of the days of a run. */
export interface FlowFacts {
  blocks: DayBlocks[];
}

export interface HolderFacts extends WrittenRows {
  /** Labelled addresses that have held the token. */
  held: LabelCounts;
  /** At the close of the last complete day, USD per token. */
  price: number;
  /** Where the index is in the object of the lists; absent where there are none. */
  lists?: IndexPlace;
  /** The beginnings of the tables of lots; absent where none are kept. */
  lots?: Partial<Record<LotMethod, WrittenLots>>;
}

/** What `periods` finds. */
export interface Cuts {
  periods: BuildPeriods;
  /** By block period: in how many new blocks each row of sums (flow-sums.ts) is used. */
  blockEntries: Record<string, number[]>;
  /** Absent while no day is complete. */
  checkpoint?: Checkpoint;
}

/** What a task has put into the store. */
export interface Written {
  files: Omit<SeriesFile, "bytes">[];
  /** Objects of the lots of methods. */
  lots: Omit<SeriesFile<LotMethod>, "bytes">[];
  checkpoint?: WrittenCheckpoint;
  /** What that has added to the store, if the task was a process of its own. */
  put?: PutElsewhere;
}

export interface WrittenCheckpoint extends Digests {
  /** Where the index of its rows is in it. */
  index: IndexPlace;
  holders: number;
  /** Labelled addresses that have held the token. */
  held: LabelCounts;
}
