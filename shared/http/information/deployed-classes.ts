import { posix } from 'node:path';
import type { ClassLists, DeclaredClasses, DeclaredParameters } from '../../fleet/groups/class-lists.ts';
import type { EnvironmentStore } from '../../store/ports/environment-store.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { FileServer } from '../files/file-server.ts';
import type { ServedEnvironment } from '../files/served-environment.ts';
import { SharedCache } from '../files/shared-cache.ts';
import { classesOf, type FileClasses } from './class-information.ts';

const READS_AT_ONCE = 16;
/** Size of the cache, in manifests. */
const KEPT_MANIFESTS = 20_000;

/**
 * Finds the classes of environments. Each manifest is parsed once for all environments and deploys.
 */
export class EnvironmentClasses {
  readonly #server: FileServer;
  readonly #known = new SharedCache<FileClasses>(KEPT_MANIFESTS);

  constructor(server: FileServer) {
    this.#server = server;
  }

  /** The declarations of each manifest of the environment, sorted by path. */
  async list(files: ServedEnvironment): Promise<readonly FileClasses[]> {
    return inParallel(READS_AT_ONCE, manifestPaths(files), (path) => this.#listClasses(files, path));
  }

  #listClasses(files: ServedEnvironment, path: string): Promise<FileClasses> {
    const served = files.findServed(path, 'follow');
    if (served?.kind !== 'file') throw new Error(`invariant: ${path} was listed, and is no file`);
    const { file } = served;
    return this.#known.get(`${path} ${file.sha256}`, async () => classesOf(await this.#server.readText(file), path));
  }
}

/** The site's manifests and those of all modules, sorted. */
function manifestPaths(files: ServedEnvironment): readonly string[] {
  const { environment } = files;
  const folders = environment.listModules().map(({ root }) => posix.join(root, 'manifests'));
  const starts = environment.manifest === null ? folders : [environment.manifest, ...folders];
  const paths = starts.flatMap((start) => files.filesBelow(start, '.pp'));
  return [...new Set(paths)].sort();
}

/** Deployed snapshots whose classes are kept. */
const KEPT_LISTS = 16;

/** The classes of deployed environments. Manifests that cannot be parsed have none. */
export class DeployedClasses implements ClassLists {
  readonly #environments: Pick<EnvironmentStore, 'list'>;
  readonly #files: FileServer;
  readonly #classes: EnvironmentClasses;
  readonly #known = new SharedCache<DeclaredClasses>(KEPT_LISTS);

  constructor(environments: Pick<EnvironmentStore, 'list'>, files: FileServer, classes: EnvironmentClasses) {
    this.#environments = environments;
    this.#files = files;
    this.#classes = classes;
  }

  async find(environment: string): Promise<DeclaredClasses | null> {
    const record = await this.#files.inForce(environment, null);
    return record === null ? null : this.#known.get(record.codeId, () => this.#list(record.codeId));
  }

  async listEnvironments(): Promise<readonly { readonly name: string; readonly deployedAt: number }[]> {
    return (await this.#environments.list()).map(({ name, deployedAt }) => ({ name, deployedAt }));
  }

  async #list(codeId: string): Promise<DeclaredClasses> {
    const files = await this.#files.openSnapshot(codeId);
    const declared = new Map<string, DeclaredParameters>();
    for (const manifest of files === null ? [] : await this.#classes.list(files)) {
      if ('error' in manifest) continue;
      for (const { name, params } of manifest.classes) {
        const parameters = params.map((one) => [one.name, one.default_literal ?? one.default_source ?? null] as const);
        declared.set(name, new Map(parameters));
      }
    }
    return declared;
  }
}
