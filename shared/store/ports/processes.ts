/** The processes that write to a store, when all run on one machine. Each has a unique name. */
export interface Processes {
  /** The name of this process. */
  readonly self: string;
  /** Whether the named process has ended; false when that is unknown. */
  hasEnded(name: string): boolean;
}
