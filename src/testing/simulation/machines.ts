/** The machines of a run. */
export interface Machines {
  /** Worker processes, each with so many deliveries at once in one memory. */
  readonly containers: number;
  readonly slots: number;
  /** Time an invocation has, in milliseconds. */
  readonly functionMs: number;
  /** Invocations are killed at their end, as on Lambda; otherwise they may outlive their lease as zombies. */
  readonly hardEnd: boolean;
  /** Longest time by which a clock is off, either way, in milliseconds. */
  readonly maxSkewMs: number;
}
