/** Limits of a gated job. */
export interface GateState {
  /** Number of its nodes that may have started by now. */
  readonly allowed: number;
  /** The job's description, which says what holds nodes back; null: as it is. */
  readonly description: string | null;
}

/** Decides when the nodes of gated jobs start. Its answers may be a second old. */
export interface StartGate {
  read(job: number): Promise<GateState>;
  /** Whether a node whose turn it is runs: null, or why it is skipped. */
  admit(job: number, certname: string): Promise<string | null>;
}

/** The gate of a process that opens none: gated jobs wait. */
export const CLOSED_GATE: StartGate = {
  read: async () => ({ allowed: 0, description: null }),
  admit: async () => null,
};
