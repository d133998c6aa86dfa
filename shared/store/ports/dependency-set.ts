/** A dependency set: what a compile observed of files, in the notation of `InputSet`. */
export interface DependencySet {
  /** By snapshot path (relative to the code directory); null: looked for in vain. */
  readonly files: Readonly<Record<string, string | null>>;
  /** By path of a data file that was read by key, then by key; null: looked for in vain. */
  readonly dataKeys: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
}

/** A dependency set that a compile of `certname` at `generation` is about to commit. */
export interface DependencyRegistration {
  readonly certname: string;
  readonly generation: number;
  readonly environment: string;
  /** sha256 of the set. */
  readonly id: string;
  readonly paths: readonly string[];
}
