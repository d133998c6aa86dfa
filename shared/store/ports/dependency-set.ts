/**
 * A dependency set: what a compile observed of each environment file, by snapshot path (relative to
 * the code directory); null for a file that it looked for in vain.
 */
export type DependencySet = Readonly<Record<string, string | null>>;

/** A dependency set that a compile of `certname` at `generation` is about to commit. */
export interface DependencyRegistration {
  readonly certname: string;
  readonly generation: number;
  readonly environment: string;
  /** sha256 of the set. */
  readonly id: string;
  readonly paths: readonly string[];
}
