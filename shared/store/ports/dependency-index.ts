/**
 * The deployed files that compiles looked at, without what they saw there. Paths are relative to
 * the code directory. All lists are sorted.
 */
export interface Observations {
  /** Paths whose content or absence counts; with a trailing slash, folders whose listing counts. */
  readonly contents: readonly string[];
  /** Paths of which only the kind counts: file, folder or absent. */
  readonly kinds: readonly string[];
  /** Data files of which only some keys count: the keys by path. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
}

/** The observations of one folder that many sets share. */
export interface Part {
  /** Digest of the name and the observations. */
  readonly id: string;
  /** The folder; it follows from the paths alone. */
  readonly name: string;
  readonly observations: Observations;
}

/** A dependency set: the observations that the compiles of a role's nodes have in common. */
export interface DependencySet {
  readonly environment: string;
  /** Digest of the environment and the parts' ids. */
  readonly id: string;
  readonly parts: readonly Part[];
}

/** Dependencies that a compile of `certname` at `generation` is about to commit. */
export interface Registration {
  readonly certname: string;
  readonly generation: number;
  readonly environment: string;
  /** The set that the node joins; null when it stays in that of its record. */
  readonly joins: MembershipKey | null;
  /** The set that the node leaves with the commit; null for none. */
  readonly leaves: (MembershipKey & { readonly environment: string }) | null;
  /** Paths that only this node looks at and that are not registered for it yet. */
  readonly ownPaths: readonly string[];
  readonly at: number;
}

/** A node's membership of a set. */
export interface MembershipKey {
  readonly set: string;
  /** Names the membership; each time that a node joins a set, it has another token. */
  readonly token: string;
}

/** A part as the index has it. */
export interface RegisteredPart {
  readonly id: string;
  /** Null when they are too large for the index. */
  readonly observations: Observations | null;
}

export interface MemberPage {
  readonly certnames: readonly string[];
  /** Pass this as `after` for the next page; null on the last page. */
  readonly next: string | null;
}

/** Result of `retire`. */
export interface Retired {
  /** Number of registrations whose remains are gone. */
  readonly registrations: number;
  /** Ids of the sets that no node has any more. */
  readonly sets: readonly string[];
}

/** Number of shards of a set's members. */
export const MEMBER_SHARDS = 16;

/**
 * The way back from a changed path to nodes: names of parts -> parts -> sets -> members, and own
 * path -> node. It may name nodes that do not depend on a path any more; it never misses one that
 * does.
 */
export interface DependencyIndex {
  /**
   * Writes that the node is a member of the set and owns the paths. False when the set must be
   * defined. Call it, and `define`, before the last read of the environment and before the commit.
   */
  register(registration: Registration): Promise<boolean>;
  /** Writes a set and those of its parts that are missing. */
  define(set: DependencySet): Promise<void>;
  /** The parts with one of these names. */
  findParts(environment: string, names: Iterable<string>): Promise<readonly RegisteredPart[]>;
  /** Ids of the sets that have one of these parts. */
  findSets(environment: string, parts: ReadonlySet<string>): Promise<readonly string[]>;
  /**
   * Lists members of a set in one of `MEMBER_SHARDS` shards by certname, each once: nodes whose
   * last commit has the set, and nodes whose compile may still commit it. A page may have fewer
   * than `limit` members, also before the last page.
   */
  listMembers(
    environment: string,
    set: string,
    shard: number,
    after: string | null,
    limit: number,
  ): Promise<MemberPage>;
  /**
   * Nodes that own one of these paths, sorted. Nodes whose dependencies damage destroyed own every
   * path.
   */
  findOwners(environment: string, paths: Iterable<string>): Promise<readonly string[]>;
  /**
   * Notes that a purged node left its set and its paths. Call it when the node's record is gone.
   */
  forget(node: Omit<Registration, 'joins' | 'generation'>): Promise<void>;
  /**
   * Deletes rows that registrations before `before` made useless, for up to `limit` registrations.
   * A compile that started before `before` must have ended.
   */
  retire(before: number, limit: number): Promise<Retired>;
}
