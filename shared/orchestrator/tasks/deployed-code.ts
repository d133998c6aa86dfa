import type { ModuleInfo } from '../../puppet/environment/environment.ts';
import type { SnapshotFile } from '../../puppet/environment/snapshot.ts';

/** The files of one snapshot, as far as tasks need them; the file server's form. */
export interface TaskSnapshot {
  readonly codeId: string;
  readonly environment: {
    /** The folder of the environment. */
    readonly root: string;
    listModules(): readonly ModuleInfo[];
    findModule(name: string): ModuleInfo | null;
  };
  /** Names in a folder, following links; null when it is not a folder. */
  listNames(folder: string): readonly string[] | null;
  /** The file at a path, or the files below it, as Puppet's `**` finds them. */
  filesBelow(path: string): readonly string[];
  /** Finds a file or folder by served path, following links; null when it does not exist. */
  findServed(
    path: string,
    links: 'follow',
  ): { readonly kind: 'file'; readonly file: SnapshotFile } | { readonly kind: 'directory' | 'link' } | null;
}

/** Deployed code; the file server is one. */
export interface TaskCode {
  /** The environment's files in force; null when it is not deployed. */
  open(environment: string): Promise<{ readonly files: TaskSnapshot } | null>;
  /** The files of a current or earlier snapshot; null when it does not exist. */
  openSnapshot(codeId: string): Promise<TaskSnapshot | null>;
  /** Reads a small deployed file as text. */
  readText(file: SnapshotFile): Promise<string>;
}
