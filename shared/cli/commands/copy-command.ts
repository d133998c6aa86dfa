import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CopyPlace, copyStores } from '../../store/copy-stores.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { isDatabaseUrl } from '../../store/postgres/place.ts';
import { countUnits } from '../../util/count-units.ts';
import { Progress } from '../client/progress.ts';

type Print = (text: string) => Promise<void>;

/** A data directory or a database that is copied, with what keeps servers away. */
interface OpenPlace extends CopyPlace {
  close(): void | Promise<void>;
}

const CONNECTIONS = 2;

/**
 * Copies all state of a fleet from a data directory or database to another, empty one. The blobs of
 * a database are in `bucket` if there is one.
 */
export async function copyData(from: string, to: string, print: Print, bucket?: string): Promise<void> {
  const source = await openPlace(from, false, bucket);
  try {
    const target = await openPlace(to, true, bucket);
    try {
      const progress = new Progress();
      const copied = copyStores(source, target, (what, done, of) => progress.show(what, done, of));
      const { rows, blobs, bytes, damaged } = await copied.finally(() => progress.end());
      const size = `${countUnits(blobs, 'blob')} (${Math.ceil(bytes / 2 ** 20)} MB)`;
      await print(`Copied ${countUnits(rows, 'row')} and ${size} from ${source.name} to ${target.name}.\n`);
      for (const key of damaged) await print(`warning: blob ${key} is damaged and was not copied\n`);
      await print(`${describeKeys(from, to)}\n`);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function openPlace(place: string, isTarget: boolean, bucket: string | undefined): Promise<OpenPlace> {
  return isDatabaseUrl(place) ? openDatabase(place, bucket) : openDirectory(resolve(place), isTarget);
}

async function openDirectory(directory: string, isTarget: boolean): Promise<OpenPlace> {
  const { EmbeddedBlobStore } = await import('../../store/embedded/blob-store.ts');
  const { EmbeddedDatabase } = await import('../../store/embedded/database.ts');
  const { DATABASE } = await import('../../store/embedded/directory-files.ts');
  const { ServerLock } = await import('../../store/embedded/server-lock.ts');
  if (!isTarget && !existsSync(join(directory, DATABASE))) {
    throw new StoreRefused(`'${directory}' is no data directory: it has no ${DATABASE}`);
  }
  if (isTarget && existsSync(directory) && readdirSync(directory).some((name) => name === DATABASE)) {
    throw new StoreRefused(`'${directory}' is a data directory already`);
  }
  const database = new EmbeddedDatabase(directory);
  const lock = new ServerLock(directory);
  const close = () => {
    database.close();
    lock.release();
  };
  return { database, blobs: new EmbeddedBlobStore(directory), name: `'${directory}'`, close };
}

async function openDatabase(url: string, bucket: string | undefined): Promise<OpenPlace> {
  const { openPostgresStores } = await import('../../store/postgres/stores.ts');
  const stores = await openPostgresStores(url, { directory: '.', bucket, connections: CONNECTIONS, isCommand: true });
  const { database, blobs, servers } = stores;
  const living = (await servers.list()).filter(({ isAlive }) => isAlive).map(({ name }) => name);
  if (living.length > 0) {
    await stores.close();
    throw new StoreRefused(`database ${database.shown} is in use: stop ${living.join(', ')} first`);
  }
  return { database, blobs, name: database.shown, close: () => stores.close() };
}

/** The key files are no part of a copy: a database must not have them. */
function describeKeys(from: string, to: string): string {
  const source = isDatabaseUrl(from) ? "the servers'" : `${resolve(from)}'s`;
  const target = isDatabaseUrl(to)
    ? 'name them by --ca-key-file and --key-file on each server'
    : `copy them to ${resolve(to)}`;
  return `Its keys are ${source} ca-key-file and values-key-file: ${target}.`;
}
