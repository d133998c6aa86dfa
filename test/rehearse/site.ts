/** An installation that a rehearsal goes through: a stack in AWS, or the same over emulators. */

/** An address that clients connect to. */
export interface Door {
  readonly host: string;
  readonly port: number;
}

export type DoorName = 'edge' | 'authority' | 'access' | 'console' | 'orchestrator' | 'broker';
export type Variables = Readonly<Record<string, string>>;

/** A certificate and its key, PEM. */
export interface Identity {
  readonly certname: string;
  readonly certificate: string;
  readonly key: string;
}

export interface Site {
  /** Creates or updates the installation. */
  deploy(): Promise<void>;
  door(name: DoorName): Door;
  /** Environment variables by which commands of `understudy` work on it, as its operator. */
  variables(): Promise<Variables>;
  /** Does what AWS does by itself: delivers the streams of the tables. */
  settle(): Promise<void>;
  /** Has the probe do its run as this node. Throws when that fails. */
  runProbe(identity: Identity): Promise<void>;
  /** Kills a task of the edge. */
  killEdge(): Promise<void>;
  /** Restores a backup into a second installation; returns the variables of that. */
  restore(): Promise<Variables>;
  /** Removes all of it; returns what remains. */
  remove(): Promise<readonly string[]>;
}
