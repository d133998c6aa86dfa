/**
 * Those that write to a store, where all of them run on this machine. Each has a name that no other
 * one gets.
 */
export interface Processes {
  /** The name of this process. */
  readonly self: string;
  /** Whether the process of that name has ended; false where that cannot be known. */
  hasEnded(name: string): boolean;
}
