/** A server that works on stores which several share. */
export interface ServerState {
  /** Unique: the host's name and a part by chance. */
  readonly name: string;
  readonly host: string;
  readonly release: string;
  /** The number of its process. */
  readonly process: number;
  readonly startedAt: number;
  readonly seenAt: number;
  /** False: it was not seen for 20 seconds, and what it worked on is free. */
  readonly isAlive: boolean;
  /** The works that one server at a time does, and this one does now, sorted. */
  readonly leads: readonly string[];
}

/** The copying of commits to standbys; `unknown`: the role may not see it. */
export type Replication = 'none' | 'asynchronous' | 'synchronous' | 'unknown';

/** The database that servers share. */
export interface DatabaseState {
  /** Its address without a password. */
  readonly address: string;
  readonly version: string;
  /** `asynchronous`: what was answered in the last moments is lost when a standby takes over. */
  readonly replication: Replication;
  /** Bytes that the slowest standby has not replayed; null without one. */
  readonly lagBytes: number | null;
  /** Whether it finds damaged pages. */
  readonly hasChecksums: boolean;
  /** The machine's time less the database's, in milliseconds. */
  readonly clockOffsetMs: number;
  /** Connections of this process. */
  readonly connections: { readonly open: number; readonly idle: number; readonly waiting: number };
}

/** Knows the servers that share stores. */
export interface Servers {
  /** Lists them, the oldest first, with those that died within a day. */
  list(): Promise<readonly ServerState[]>;
  describeDatabase(): Promise<DatabaseState>;
}

/** Servers that share stores, as one of them sees them. */
export interface ServersView {
  /** The name of the one that looked. */
  readonly own: string;
  /** All that live, and all that died within a day, the oldest first. */
  readonly servers: readonly ServerState[];
  readonly database: DatabaseState;
  /**
   * The name of the server that leads, by each work that one server at a time does; null: none does
   * for the moment.
   */
  readonly leaders: Readonly<Record<string, string | null>>;
  /** Weaknesses that an operator should mend. */
  readonly warnings: readonly string[];
}

/** Reads the servers, with a value that is at most some seconds old. Throws StoreUnavailable. */
export type ReadServers = () => Promise<ServersView>;
