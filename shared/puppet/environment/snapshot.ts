/**
 * An immutable copy of the deployed code. Keys of `files` are paths relative to the code directory:
 * `environments/production/manifests/site.pp`, `modules/stdlib/metadata.json` (the shared module
 * folder), `hiera.yaml`, `fileserver.conf` and the folders that it mounts. The snapshot's id
 * (`code_id`) is the sha256 of its canonical JSON without `times`. Its blob is `snapshots/<id>`.
 */
export interface Snapshot {
  readonly environment: string;
  readonly files: Readonly<Record<string, SnapshotFile>>;
  /**
   * Symbolic links with their targets as written. The target's files are in `files` too, below the
   * path of the link.
   */
  readonly links?: Readonly<Record<string, string>>;
  /**
   * Permission bits of folders that are empty or whose mode is not 0755. Agents see them; compiles
   * do not.
   */
  readonly folders?: Readonly<Record<string, number>>;
  /**
   * Seconds since 1970 at which the content of each file was written, for agents that compare
   * times. Absent in snapshots of earlier releases.
   */
  readonly times?: Readonly<Record<string, number>>;
}

export interface SnapshotFile {
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** Permission bits, e.g. 0o644. */
  readonly mode: number;
}

/** The file that defines mounts besides those of modules. */
export const FILESERVER_CONF = 'fileserver.conf';

/** Permission bits of a folder without an entry in `Snapshot.folders`. */
export const USUAL_FOLDER_MODE = 0o755;

/**
 * The code directory that served systems show in `file:` of errors and resources, like a Puppet
 * Server.
 */
export const SERVED_CODE_DIRECTORY = '/etc/puppetlabs/code';
