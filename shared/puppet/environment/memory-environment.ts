import { posix } from 'node:path';
import { DiskTree } from './disk-tree.ts';
import type { InputRecorder } from './environment.ts';
import type { EnvironmentMemory } from './environment-memory.ts';
import { type FileTree, mountTree, replaceFiles } from './file-tree.ts';
import { MemoryTree, memoryFile, type TreeFile } from './memory-tree.ts';
import { TreeEnvironment } from './tree-environment.ts';

interface MemoryEnvironmentOptions {
  readonly name: string;
  /**
   * Absolute path, as errors show it. The environment's folder is
   * `<codeDirectory>/environments/<name>`.
   */
  readonly codeDirectory: string;
  /** Content by path relative to the code directory. */
  readonly files: Readonly<Record<string, string | Uint8Array | TreeFile>>;
  /** Absolute paths of module folders; defaults to environment.conf, then to Puppet's default. */
  readonly modulepath?: readonly string[];
  /**
   * Absolute path of the initial manifest, null for none; defaults to environment.conf, then to
   * Puppet's default.
   */
  readonly manifest?: string | null;
  /** Absolute path of the global hiera.yaml. */
  readonly globalHiera?: string | null;
  /** Folders of the host that are visible at their own paths, such as modules for a test. */
  readonly hostFolders?: readonly string[];
  /** Content by absolute path; replaces files in `hostFolders`. */
  readonly replacements?: Readonly<Record<string, string | TreeFile>>;
  readonly inputs: InputRecorder;
  /** Keeps what follows from the files, which then must not change; absent: nothing is kept. */
  readonly memory?: EnvironmentMemory;
}

/**
 * Creates an environment from a map of files, for tests and for sources outside of a control repo.
 */
export function createMemoryEnvironment(options: MemoryEnvironmentOptions): TreeEnvironment {
  const { name, codeDirectory, hostFolders = [] } = options;
  const root = posix.join(codeDirectory, 'environments', name);
  const entries = Object.entries(options.files);
  const files = new Map(entries.map(([path, content]) => [posix.join(codeDirectory, path), fileWith(content)]));
  const memory = new MemoryTree(files, {
    folders: [root, posix.join(root, 'modules'), posix.join(root, 'manifests')],
  });
  const disk = new DiskTree();
  const borrowed = hostFolders.reduce<FileTree>((tree, folder) => mountTree(tree, folder, disk), memory);
  return new TreeEnvironment({
    name,
    root,
    codeDirectory,
    baseModulepath: [posix.join(codeDirectory, 'modules')],
    tree: withReplacements(borrowed, options.replacements ?? {}),
    inputs: options.inputs,
    globalHiera: options.globalHiera ?? null,
    ...(options.memory && { memory: options.memory }),
    ...(options.modulepath && { modulepath: options.modulepath }),
    ...(options.manifest !== undefined && { manifest: options.manifest }),
  });
}

function fileWith(content: string | Uint8Array | TreeFile): TreeFile {
  return typeof content === 'string' || content instanceof Uint8Array ? memoryFile(content) : content;
}

function withReplacements(tree: FileTree, replacements: Readonly<Record<string, string | TreeFile>>): FileTree {
  const files = new Map(Object.entries(replacements).map(([path, content]) => [path, fileWith(content)]));
  return files.size === 0 ? tree : replaceFiles(tree, new MemoryTree(files), new Set(files.keys()));
}
