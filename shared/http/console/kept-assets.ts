import { CONSOLE_PREFIX } from '../../config/front-doors.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { Clock } from '../../store/ports/clock.ts';
import { BoundedCache } from '../../util/bounded-cache.ts';
import { DAY_MS } from '../../util/day.ts';
import { digestSha256 } from '../../util/digest.ts';
import type { RequestLog } from '../services.ts';
import type { ConsoleAsset, LoadAssets } from './console-files.ts';

/** A name with the first half of the digest of its content. */
const NAMED = /^[\w-]+-([0-9a-f]{32})\.(css|js)$/;
const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;
/** Files in memory: those of four releases. */
const MOST_KEPT = 8;
/** Names that are looked up in a minute. Anybody may ask for names that do not exist. */
const MOST_LOOKUPS = 60;
const MINUTE_MS = 60_000;

/** Files that no server loaded for so long are those of a release that is gone. */
const KEPT_MS = 90 * DAY_MS;

type Blobs = Pick<BlobStore, 'get' | 'put'>;

interface AssetsOptions {
  readonly stores: { readonly blobs: BlobStore; readonly clock: Clock };
  readonly loadAssets: LoadAssets;
  readonly log: Pick<RequestLog, 'logError'>;
}

/**
 * Loads the files of the client, of this release and of others that share the store. Those of this
 * release are stored before the page names them.
 */
export function shareAssets({ stores, loadAssets, log }: AssetsOptions) {
  const kept = new KeptAssets(stores.blobs, stores.clock);
  const load = async () => {
    const assets = await loadAssets();
    await kept.keep(assets).catch((error: unknown) => log.logError('Files of the console were not stored', error));
    return assets;
  };
  return { loadAssets: load, findAsset: (path: string) => kept.find(path) };
}

/** Deletes the files of releases that are gone, where the store itself does not. */
export async function forgetAssets({ blobs, clock }: AssetsOptions['stores']): Promise<void> {
  const { entries } = await blobs.list(CONSOLE_PREFIX);
  const old = entries.filter(({ putAt }) => putAt < clock.now() - KEPT_MS);
  for (const { key } of old) await blobs.delete(key);
}

/**
 * Keeps the files of the client that their content names in the store, so that each server of a
 * deployment has those of the others: while one release replaces another, the page may come from
 * one, and its script be asked of the other. What is read back counts only if its digest is that of
 * its name.
 */
export class KeptAssets {
  readonly #blobs: Blobs;
  readonly #clock: Clock;
  readonly #found = new BoundedCache<ConsoleAsset>(MOST_KEPT);
  #window = { since: 0, lookups: 0 };

  constructor(blobs: Blobs, clock: Clock) {
    this.#blobs = blobs;
    this.#clock = clock;
  }

  /** Stores the files whose content names them, at each start: those in the bucket expire. */
  async keep(assets: readonly ConsoleAsset[]): Promise<void> {
    const named = assets.filter(({ path }) => NAMED.test(path));
    await Promise.all(named.map(({ path, bytes }) => this.#blobs.put(`${CONSOLE_PREFIX}${path}`, bytes)));
  }

  /** The file of another release; null when there is none, or too many names were asked for. */
  async find(path: string): Promise<ConsoleAsset | null> {
    const [, digest = '', extension] = NAMED.exec(path) ?? [];
    const known = this.#found.get(path);
    if (known !== undefined) return known;
    if ((extension !== 'css' && extension !== 'js') || !this.#mayLookUp()) return null;
    const bytes = await this.#blobs.get(`${CONSOLE_PREFIX}${path}`);
    if (bytes === null) return null;
    const hash = digestSha256(bytes);
    if (!hash.startsWith(digest)) return null;
    const asset = { path, bytes, type: TYPES[extension], hash, isImmutable: true };
    this.#found.set(path, asset);
    return asset;
  }

  #mayLookUp(): boolean {
    const now = this.#clock.now();
    if (now - this.#window.since >= MINUTE_MS) this.#window = { since: now, lookups: 0 };
    this.#window.lookups += 1;
    return this.#window.lookups <= MOST_LOOKUPS;
  }
}
