import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PgliteDatabase } from '../../shared/inventory/database/pglite-database.ts';
import { prepareSchema } from '../../shared/inventory/database/schema.ts';
import { digestSha256 } from '../../shared/util/digest.ts';
import { makeOnce } from './make-once.ts';

/** A database of its own for a test, and its folder, which `remove` deletes. */
export interface TestDatabase {
  readonly database: PgliteDatabase;
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * Opens an inventory without data. Making one costs 3 s of CPU, so a prepared folder is copied that
 * the first test of a release made.
 */
export async function openTestDatabase(): Promise<TestDatabase> {
  return openCopy(await prepareTemplate('', prepareSchema));
}

/** Opens an inventory with data. `fill` runs once for each release and `key`, the data's digest. */
export async function openFilledDatabase(
  key: string,
  fill: (database: PgliteDatabase) => Promise<void>,
): Promise<TestDatabase> {
  const prepare = async (database: PgliteDatabase) => {
    await prepareSchema(database);
    await fill(database);
  };
  return openCopy(await prepareTemplate(key, prepare));
}

function openCopy(template: string): TestDatabase {
  const parent = mkdtempSync(join(tmpdir(), 'understudy-inventory-'));
  const folder = join(parent, 'data');
  cpSync(template, folder, { recursive: true });
  const database = new PgliteDatabase(folder);
  const remove = async () => {
    await database.close();
    rmSync(parent, { recursive: true, force: true });
  };
  return { database, folder, remove };
}

async function prepareTemplate(key: string, prepare: (database: PgliteDatabase) => Promise<unknown>): Promise<string> {
  const modules = new URL('../../node_modules/', import.meta.url).pathname;
  const version = readFileSync(join(modules, '@electric-sql/pglite/package.json'), 'utf8');
  const schema = readFileSync(new URL('../../shared/inventory/database/schema.ts', import.meta.url), 'utf8');
  const name = digestSha256([version, schema, key].join('')).slice(0, 16);
  const folder = join(modules, '.cache/understudy', `inventory-${name}`);
  await makeOnce(folder, async (draft) => {
    const database = new PgliteDatabase(draft);
    await prepare(database);
    await database.close();
  });
  return folder;
}
