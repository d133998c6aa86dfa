/** Where the servers of an agent are. */
export interface AgentServers {
  readonly port: number;
  readonly pcpPort: number;
}

/**
 * The PXP agent of a node with a real Puppet. What runs goes on when the agent is killed, and its
 * results are there after its next start. It comes back when a connection ends.
 */
export interface NodeAgent {
  readonly certname: string;
  /** Where all files of the node lie. */
  readonly folder: string;
  /** What began, in order: module and action, and the job of a Puppet run. */
  readonly begun: readonly { readonly what: string; readonly job?: unknown }[];
  /** How connections ended, and what kept it from another one. */
  readonly ends: readonly string[];
  /** Puppet runs wait for this before they begin. */
  gate: Promise<unknown>;
  /** External facts of the runs that jobs begin. */
  facts: Readonly<Record<string, string>>;
  readonly isConnected: boolean;
  readonly isRunning: boolean;
  /** Starts the agent; it connects in the background. */
  start(): void;
  /** Kills the agent; its runs go on. */
  kill(): void;
  /** Ends all that is left of it. */
  close(): Promise<void>;
}
