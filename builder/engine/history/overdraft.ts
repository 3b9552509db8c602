/** A transfer or burn of more than its sender has: the history before it is incomplete or wrong. */
export interface Overdraft {
  block: number;
  logIndex: number;
  /** `0x…`, in lower case. */
  sender: string;
  /** Raw, as what follows. */
  value: bigint;
  /** What the sender has, exactly. */
  balance: bigint;
}
