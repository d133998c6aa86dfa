import type { CodeSource } from '../code/code-source.ts';
import { type PreparedEnvironment, prepareEnvironment } from '../code/deploy.ts';
import { scanEnvironment } from '../code/scan-environment.ts';
import {
  environmentOfBranch,
  type GitSource,
  GitSourceStore,
  mayHaveEnvironment,
  type SyncOutcome,
} from './code-source-store.ts';
import {
  demandAuthor,
  demandFree,
  openMirror,
  type SyncObserver,
  type SyncPorts,
  type SyncReport,
  syncSource,
  withBranch,
} from './sync-source.ts';

const MOST_TROUBLES = 20;

/** Synchronises sources of code, one after another. */
export class GitSync {
  readonly sources: GitSourceStore;
  readonly #ports: SyncPorts;
  readonly #observer: SyncObserver;
  #last: Promise<unknown> = Promise.resolve();
  /** Waiting branches by source; null for all. */
  readonly #waiting = new Map<string, ReadonlySet<string> | null>();

  constructor(ports: SyncPorts, observer: SyncObserver) {
    this.sources = new GitSourceStore(ports.stores);
    this.#ports = ports;
    this.#observer = observer;
  }

  /** Synchronises now, after what is in progress. Throws GitFailed. */
  sync(source: GitSource, only: readonly string[] | null): Promise<SyncReport> {
    return this.#next(() => this.#run(source, only));
  }

  /** Synchronises soon. Requests that wait for their turn are joined. */
  request(source: GitSource, only: readonly string[] | null): void {
    const { name } = source;
    const waits = this.#waiting.has(name);
    const before = this.#waiting.get(name) ?? null;
    const joined = waits && before === null ? null : only && new Set([...(before ?? []), ...only]);
    this.#waiting.set(name, joined);
    if (waits) return;
    const work = async () => {
      const branches = this.#waiting.get(name) ?? null;
      this.#waiting.delete(name);
      await this.#run(source, branches && [...branches]);
    };
    this.#next(work).catch((error: unknown) => {
      this.#observer.onTrouble(`source '${name}' was not fetched: ${error instanceof Error ? error.message : error}`);
    });
  }

  /** Synchronises, and notes how it went. */
  async #run(source: GitSource, only: readonly string[] | null): Promise<SyncReport> {
    const at = this.#ports.stores.clock.now();
    const troubles: string[] = [];
    const { onFetching } = this.#observer;
    const observer: SyncObserver = {
      ...(onFetching === undefined ? {} : { onFetching }),
      onDeployed: (report, commit) => this.#observer.onDeployed(report, commit),
      onStaged: (begun, commit) => this.#observer.onStaged(begun, commit),
      onHeld: (what) => this.#observer.onHeld(what),
      onRemoved: (environment) => this.#observer.onRemoved(environment),
      onTrouble: (what) => {
        if (troubles.length < MOST_TROUBLES) troubles.push(what);
        this.#observer.onTrouble(what);
      },
    };
    await this.#noteSync(source, { at, isRunning: true, troubles });
    try {
      return await syncSource(source, only, this.#ports, observer);
    } catch (error) {
      troubles.push(error instanceof Error ? error.message : String(error));
      throw error;
    } finally {
      await this.#noteSync(source, { at, isRunning: false, troubles });
    }
  }

  /** A failure is reported: it does not keep code from being deployed. */
  async #noteSync({ name }: GitSource, outcome: SyncOutcome): Promise<void> {
    await this.sources.noteSync(name, outcome).catch((error: unknown) => {
      this.#observer.onTrouble(`the state of source '${name}' was not stored: ${error}`);
    });
  }

  /** Resolves when nothing is in progress. */
  async settle(): Promise<void> {
    await this.#last;
  }

  /**
   * The newest code of environments that are branches of a source, fetched when a deploy asks; of
   * other environments, that of `others`.
   */
  withSources(others: CodeSource): CodeSource {
    return {
      takesUploads: others.takesUploads,
      listEnvironments: async () => {
        const owned = (await this.sources.listEnvironments()).map(({ environment }) => environment);
        return [...new Set([...owned, ...(await others.listEnvironments())])].sort();
      },
      prepare: async (environment) =>
        (await this.#next(() => this.#prepare(environment))) ?? others.prepare(environment),
    };
  }

  /** Null when the environment is no branch of a source. */
  async #prepare(environment: string): Promise<PreparedEnvironment | null> {
    const { stores, preparation } = this.#ports;
    for (const source of await this.sources.list()) {
      if (!mayHaveEnvironment(source, environment)) continue;
      await demandAuthor(source, this.#ports);
      const mirror = await openMirror(source, this.#ports);
      await mirror.fetch();
      for (const [branch, commit] of await mirror.listBranches()) {
        if (environmentOfBranch(source, branch).name !== environment) continue;
        const place = { branch, commit, name: environment };
        const owner = (await this.sources.listEnvironments()).find((one) => one.environment === environment);
        demandFree(environment, source, owner, await stores.environments.get(environment));
        const prepared = await withBranch(source, place, mirror, this.#ports, async (folder) =>
          prepareEnvironment(stores, await scanEnvironment(folder, environment), preparation),
        );
        await this.sources.noteEnvironment({ environment, source: source.name, branch, commit });
        return prepared;
      }
    }
    return null;
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
