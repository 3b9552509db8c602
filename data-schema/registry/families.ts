/** Values of a selector that have something in common. */
export interface Family {
  title: string;
  values: readonly string[];
  /** Present if no address, exchange or transfer is in two of the values, but for the one that they divide. */
  division?: {
    /** What tells them apart, in a word: `age`. Unique in a selector. */
    by: string;
    /** The value that they are parts of; they may leave something of it out. */
    of: string;
    /** Whether their order means something. */
    isOrdered: boolean;
  };
}
