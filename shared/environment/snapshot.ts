/**
 * An immutable copy of a deployed environment. Keys of `files` are paths relative to the code directory:
 * `environments/production/manifests/site.pp`, `modules/stdlib/metadata.json` (the shared module folder), `hiera.yaml`.
 * Its id (`code_id`) is the sha256 of its canonical JSON; the blob is `snapshots/<id>`.
 */
export interface Snapshot {
  readonly environment: string;
  readonly files: Readonly<Record<string, SnapshotFile>>;
}

export interface SnapshotFile {
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** Permission bits, e.g. 0o644. */
  readonly mode: number;
}

/** The code directory that served systems show in `file:` of errors and resources, as a Puppet Server would. */
export const SERVED_CODE_DIRECTORY = '/etc/puppetlabs/code';
