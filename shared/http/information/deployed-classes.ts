import type { ClassLists, DeclaredClasses, DeclaredParameters } from '../../fleet/groups/class-lists.ts';
import type { EnvironmentStore } from '../../store/ports/environment-store.ts';
import type { FileServer } from '../files/file-server.ts';
import { SharedCache } from '../files/shared-cache.ts';
import type { EnvironmentClasses } from './environment-classes.ts';

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
