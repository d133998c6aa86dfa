/**
 * An immutable copy of a deployed environment. Keys of `files` are paths relative to the code
 * directory: `environments/production/manifests/site.pp`, `modules/stdlib/metadata.json` (the
 * shared module folder), `hiera.yaml`, `fileserver.conf` and the folders that it mounts. Its id
 * (`code_id`) is the sha256 of its canonical JSON; the blob is `snapshots/<id>`.
 */
export interface Snapshot {
  readonly environment: string;
  readonly files: Readonly<Record<string, SnapshotFile>>;
  /**
   * Symbolic links: where they point, as written. What they point to stands in `files` too, below
   * the link's own path.
   */
  readonly links?: Readonly<Record<string, string>>;
  /**
   * Folders that are empty, or whose permission bits are not 0755: their bits. Agents see them;
   * compiles do not.
   */
  readonly folders?: Readonly<Record<string, number>>;
}

export interface SnapshotFile {
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** Permission bits, e.g. 0o644. */
  readonly mode: number;
}

/** The file that says which folders are mounts beside those of modules. */
export const FILESERVER_CONF = 'fileserver.conf';

/** Permission bits of a folder that a snapshot says nothing else of. */
export const USUAL_FOLDER_MODE = 0o755;

/**
 * The code directory that served systems show in `file:` of errors and resources, as a Puppet
 * Server would.
 */
export const SERVED_CODE_DIRECTORY = '/etc/puppetlabs/code';
