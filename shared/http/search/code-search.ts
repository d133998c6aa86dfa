import { posix } from 'node:path';
import { SERVED_CODE_DIRECTORY } from '../../puppet/environment/snapshot.ts';
import type { EnvironmentStore } from '../../store/ports/environment-store.ts';
import { findNames } from '../../util/find-names.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { FileServer } from '../files/file-server.ts';
import type { ServedEnvironment } from '../files/served-environment.ts';
import { SharedCache } from '../files/shared-cache.ts';
import type { EnvironmentClasses } from '../information/deployed-classes.ts';

/** Names in the code of an environment, sorted. */
interface CodeNames {
  readonly classes: readonly string[];
  /** Paths below the environment's folder. */
  readonly files: readonly string[];
  readonly keys: readonly string[];
}

/** Files of an environment; paths are relative to the code directory. */
interface DataFiles {
  /** All that Hiera may read keys of. */
  readonly dataFiles: readonly string[];
  /** The ones that have the key, among the 500 with the shortest paths. */
  readonly definedIn: readonly string[];
}

interface CodeMatch {
  readonly name: string;
  readonly environment: string;
}

/** Deployed snapshots whose names are kept. */
const KEPT_INDEXES = 8;
const KEPT_FILES = 4000;
const READS_AT_ONCE = 16;
/** Data files whose keys are read: those with short paths, since others are often of one node. */
const MOST_DATA_FILES = 500;
/** Environments that one request looks at. */
const MOST_ENVIRONMENTS = 16;
/** Names in which a part is looked for. */
const MOST_NAMES = 50_000;

const DATA_FILE = /(?:^|\/)(?:data|hieradata)\/.*\.(?:ya?ml|eyaml)$/;
const KEYED_FILE = /\.(?:ya?ml|eyaml|json|conf|hocon)$/;
const KEY = /^(?:"([^"\n]+)"|'([^'\n]+)'|([A-Za-z_][\w:.-]*?)):(?=\s|$)/gm;

/** Finds classes, files and Hiera keys by name; the names of a snapshot are read once. */
export class CodeSearch {
  readonly #environments: Pick<EnvironmentStore, 'list'>;
  readonly #files: FileServer;
  readonly #classes: EnvironmentClasses;
  readonly #names = new SharedCache<CodeNames>(KEPT_INDEXES);
  readonly #keys = new SharedCache<readonly string[]>(KEPT_FILES);

  constructor(environments: Pick<EnvironmentStore, 'list'>, files: FileServer, classes: EnvironmentClasses) {
    this.#environments = environments;
    this.#files = files;
    this.#classes = classes;
  }

  /** Names that begin with the text or contain it, each with the first environment that has it. */
  async find(kind: keyof CodeNames, text: string, limit: number): Promise<readonly CodeMatch[]> {
    const found = new Map<string, string>();
    const environments = (await this.#environments.list()).map(({ name }) => name).slice(0, MOST_ENVIRONMENTS);
    for (const environment of environments.sort(byImportance)) {
      const opened = await this.#files.open(environment);
      if (opened === null) continue;
      const names = await this.#names.get(opened.files.codeId, () => this.#read(opened.files));
      for (const name of findNames(names[kind], text, limit, MOST_NAMES)) {
        if (!found.has(name)) found.set(name, environment);
      }
    }
    return [...found].slice(0, limit).map(([name, environment]) => ({ name, environment }));
  }

  /** The data files of an environment, and those that have a key; null when it is not deployed. */
  async locate(environment: string, key: string): Promise<DataFiles | null> {
    const opened = await this.#files.open(environment);
    if (opened === null) return null;
    const { files } = opened;
    const paths = files.filesBelow(files.environment.root);
    const relative = (path: string) => posix.relative(SERVED_CODE_DIRECTORY, path);
    const searched = sortDataFiles(paths);
    const keys = await inParallel(
      READS_AT_ONCE,
      searched,
      async (path) => [path, await this.#readKeys(files, path)] as const,
    );
    return {
      dataFiles: paths.filter((path) => KEYED_FILE.test(path)).map(relative),
      definedIn: keys
        .filter(([, names]) => names.includes(key))
        .map(([path]) => relative(path))
        .sort(),
    };
  }

  async #read(files: ServedEnvironment): Promise<CodeNames> {
    const { root } = files.environment;
    const paths = files.filesBelow(root).map((path) => posix.relative(root, path));
    const [classes, keys] = await Promise.all([
      this.#classes.list(files),
      inParallel(READS_AT_ONCE, sortDataFiles(paths), (path) => this.#readKeys(files, posix.join(root, path))),
    ]);
    return {
      classes: sortNames(classes.flatMap((one) => ('error' in one ? [] : one.classes.map(({ name }) => name)))),
      files: sortNames(paths),
      keys: sortNames(keys.flat()),
    };
  }

  async #readKeys(files: ServedEnvironment, path: string): Promise<readonly string[]> {
    const served = files.findServed(path, 'follow');
    if (served?.kind !== 'file') return [];
    const { file } = served;
    return this.#keys.get(file.sha256, async () => {
      const text = await this.#files.readText(file);
      return [...text.matchAll(KEY)].map(([, double, single, plain]) => double ?? single ?? plain ?? '');
    });
  }
}

/** The data files whose keys are read, the shortest paths first. */
function sortDataFiles(paths: readonly string[]): readonly string[] {
  const found = paths.filter((path) => DATA_FILE.test(path)).sort((a, b) => a.length - b.length);
  return found.slice(0, MOST_DATA_FILES);
}

function sortNames(names: Iterable<string>): readonly string[] {
  return [...new Set(names)].sort();
}

/** Production first, then by name. */
function byImportance(a: string, b: string): number {
  if (a === 'production' || b === 'production') return a === b ? 0 : a === 'production' ? -1 : 1;
  return a < b ? -1 : 1;
}
