/**
 * Property: a flipped bit, a cut, a page of zeros, or two exchanged files of a kind is reported or
 * harmless, and never another answer. `UNDERSTUDY_DAMAGES=5000` tries so many of each kind.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { PREFIXES } from '../../../shared/config/deployment.ts';
import { CONSOLE_PREFIX } from '../../../shared/config/front-doors.ts';
import { describeRemedy } from '../../../shared/fleet/code/blob-remedies.ts';
import { describeOrigin, keyOfOrigin } from '../../../shared/puppet/ruby/wasm/ruby-origin.ts';
import { imageName, readImage, writeImage } from '../../../shared/puppet/ruby/wasm/wasm-image.ts';
import { backUpDirectory, restoreDirectory } from '../../../shared/store/embedded/backup.ts';
import { EmbeddedBlobStore } from '../../../shared/store/embedded/blob-store.ts';
import { findDamagedBlobs } from '../../../shared/store/embedded/damage/check-blobs.ts';
import { checkDatabase } from '../../../shared/store/embedded/damage/database-check.ts';
import { EmbeddedDatabase } from '../../../shared/store/embedded/database.ts';
import { openFileSeal } from '../../../shared/store/embedded/file-seal.ts';
import { openKeyFileVault } from '../../../shared/store/embedded/key-file-vault.ts';
import { DIGESTED_TABLES } from '../../../shared/store/embedded/schema.ts';
import { StoreRefused } from '../../../shared/store/ports/store-errors.ts';
import type { StoredTable } from '../../../shared/store/sql/schema.ts';
import { damage, PAGE, TRIES } from '../../helpers/damage.ts';

const parent = mkdtempSync(join(tmpdir(), 'understudy-damage-'));
const sound = join(parent, 'sound');
const copy = join(parent, 'copy');
const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
afterEach(() => warn.mockClear());

function fillTables(database: EmbeddedDatabase): void {
  for (const { name, columns } of DIGESTED_TABLES) {
    for (let value = 1; value <= 20; value += 1) {
      const text = `${name}-${'x'.repeat(value * 9)}-${value}`;
      const values = columns.map((column) => (column === 'job' ? `{"certname":"n${value}"}` : value));
      const insert = `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
      database.runNow(insert, ...values);
      const [last = ''] = columns.slice(-1);
      try {
        database.runNow(`UPDATE ${name} SET ${last} = ? WHERE ${columns[0]} = ?`, text, value);
      } catch {
        // The column is a number.
      }
    }
  }
}

/** Some rows, through the index of the key: damage can hide a row from it. */
function readByKey(database: EmbeddedDatabase, { name, key }: StoredTable) {
  const where = key.map((column) => `${column} = ?`).join(' AND ');
  const values = TRIES > 0 ? Array.from({ length: 20 }, (_, index) => index + 1) : [1, 7, 13, 19];
  return values.map((value) => database.getNow(`SELECT * FROM ${name} WHERE ${where}`, ...key.map(() => value)));
}

function readTables(directory: string): string {
  const database = new EmbeddedDatabase(directory);
  try {
    return JSON.stringify(
      DIGESTED_TABLES.map((table) => [
        database.selectAllNow(`SELECT * FROM ${table.name}`),
        readByKey(database, table),
      ]),
    );
  } finally {
    database.close();
  }
}

beforeAll(() => {
  const database = new EmbeddedDatabase(sound);
  fillTables(database);
  database.close();
});
afterAll(() => {
  warn.mockRestore();
  rmSync(parent, { recursive: true });
});

const KINDS = [...Object.values(PREFIXES), CONSOLE_PREFIX];

it.each(KINDS)('a blob below %s', async (prefix) => {
  const directory = join(parent, 'blobs', prefix);
  const blobs = new EmbeddedBlobStore(directory);
  const [key, other] = [`${prefix}a/one`, `${prefix}a/two`];
  const content = Buffer.from(Array.from({ length: 9000 }, (_, index) => index % 251));
  const [path, otherPath] = [key, other].map((one) => join(directory, 'blobs', `${one}@1`));
  await blobs.put(other, Buffer.from('other'));
  await blobs.put(key, content);
  const file = readFileSync(path ?? '');
  const exchanged = readFileSync(otherPath ?? '');
  const read = [
    async () => await blobs.get(key),
    async () => {
      const stream = await blobs.stream(key);
      return stream && Buffer.from(await new Response(stream.body).arrayBuffer());
    },
    async () => {
      const stream = await blobs.stream(key, { start: 5, end: 9000 });
      return (
        stream && Buffer.concat([content.subarray(0, 5), Buffer.from(await new Response(stream.body).arrayBuffer())])
      );
    },
  ];
  const all = [...damage(file, TRIES || 60, prefix.length), exchanged];
  for (const [index, bytes] of all.entries()) {
    writeFileSync(path ?? '', bytes);
    const found = await read[index % read.length]?.().catch(() => null);
    if (found) expect(Buffer.compare(found, content)).toBe(0);
    else expect(warn).toHaveBeenLastCalledWith(expect.stringContaining(`Blob ${key} is damaged`));
  }
  await blobs.get(key);
  const damaged = [];
  for await (const one of findDamagedBlobs(directory, true)) damaged.push(one);
  expect(damaged).toEqual([key]);
  expect(describeRemedy(key)).toMatch(/^[a-z]/);
  expect(await blobs.has(key)).toBe(false);
});

it('the database, with each of its tables', () => {
  const path = join(sound, 'understudy.db');
  const file = readFileSync(path);
  const before = readTables(sound);
  mkdirSync(copy, { recursive: true });
  const pages = Array.from({ length: 20 }, (_, index) => {
    const changed = Buffer.from(file);
    const [left, right] = [1 + index, 1 + ((index * 7 + 11) % (file.length / PAGE - 1))];
    file.copy(changed, left * PAGE, right * PAGE, (right + 1) * PAGE);
    file.copy(changed, right * PAGE, left * PAGE, (left + 1) * PAGE);
    return changed;
  });
  const outcomes = { error: 0, verify: 0, harmless: 0, other: 0 };
  for (const bytes of [...damage(file, TRIES || 300, 7), ...pages]) {
    rmSync(copy, { recursive: true, force: true });
    mkdirSync(copy);
    writeFileSync(join(copy, 'understudy.db'), bytes);
    outcomes[judgeDatabase(before)] += 1;
  }
  if (TRIES > 0) console.info('database', outcomes);
  expect(outcomes.other).toBe(0);
  expect(outcomes.error).toBeGreaterThan(outcomes.verify);
});

/** Whether the copy is refused, found by `verify` alone, as before, or another answer. */
function judgeDatabase(before: string): 'error' | 'verify' | 'harmless' | 'other' {
  try {
    if (readTables(copy) === before) return 'harmless';
  } catch (error) {
    expect(error).toBeInstanceOf(StoreRefused);
    return 'error';
  }
  try {
    const { faults, rows } = checkDatabase(copy);
    return faults.length + rows.length > 0 ? 'verify' : 'other';
  } catch (error) {
    expect(error).toBeInstanceOf(StoreRefused);
    return 'verify';
  }
}

it.each(['ca-key-file', 'values-key-file'])('the key file %s', async (name) => {
  const directory = mkdtempSync(join(parent, 'keys-'));
  const path = join(directory, name);
  const openVault = name === 'ca-key-file' ? () => openKeyFileVault(path, true) : () => openFileSeal(path);
  const sealed = await openVault().seal('secret');
  const file = readFileSync(path);
  const remedy = "copy the file from a backup ('understudy restore')";
  const tooShort = `the key file '${path}' has fewer than 12 characters`;
  for (const bytes of damage(file, TRIES || 60, 3)) {
    writeFileSync(path, bytes);
    // Nothing is sealed with another key.
    const seal = async () => openVault().seal('other');
    if (bytes.toString().trim() === file.toString().trim()) await seal();
    else if (bytes.length < 12) await expect(seal()).rejects.toThrow(new StoreRefused(tooShort));
    else await expect(seal()).rejects.toThrow(new StoreRefused(`the key file '${path}' is damaged: ${remedy}`));
  }
  writeFileSync(path, `${'f'.repeat(64)}\n`);
  const text = name === 'ca-key-file' ? "the CA's key" : 'a kept value';
  const other = `${text} was not sealed with the key file '${path}', or is damaged: ${remedy}`;
  await expect(async () => openVault().open(sealed)).rejects.toThrow(new StoreRefused(other));
});

it('a backup', async () => {
  const data = join(parent, 'backed-up');
  cpSync(sound, data, { recursive: true });
  const content = Buffer.from('content');
  await new EmbeddedBlobStore(data).put('files/x', content);
  const file = join(parent, 'backup.tgz');
  await backUpDirectory(data, file, 1);
  const archive = readFileSync(file);
  const before = readTables(data);
  const folder = mkdtempSync(join(parent, 'restored-'));
  const restored = join(folder, 'data');
  for (const bytes of damage(archive, TRIES || 20, 5)) {
    writeFileSync(file, bytes);
    const refusal = await restoreDirectory(file, restored).then(
      () => null,
      (error: unknown) => error,
    );
    if (refusal === null) {
      expect(readTables(restored)).toBe(before);
      expect(await new EmbeddedBlobStore(restored).get('files/x')).toEqual(content);
      rmSync(restored, { recursive: true });
    } else expect(refusal).toBeInstanceOf(StoreRefused);
    expect(readdirSync(folder)).toEqual([]);
  }
});

it('a damaged row in a backup', async () => {
  const data = join(parent, 'damaged-row');
  cpSync(sound, data, { recursive: true });
  mkdirSync(join(data, 'blobs'));
  const connection = new DatabaseSync(join(data, 'understudy.db'));
  connection.function('row_digest', { deterministic: true, varargs: true }, () => 1);
  connection.exec("UPDATE documents SET document = 'other' WHERE key = '3.0'");
  connection.close();
  const found = checkDatabase(data);
  expect(found).toEqual({ faults: [], rows: [{ table: 'documents', key: "'3.0, 3.0'" }] });
  const file = join(parent, 'damaged-row.tgz');
  await backUpDirectory(data, file, 1);
  const restored = join(parent, 'damaged-row-restored');
  await restoreDirectory(file, restored);
  expect(checkDatabase(restored)).toEqual(found);
});

it("Ruby's image", () => {
  const origin = describeOrigin('ruby', new Map([['side.rb', Buffer.from('1')]]));
  const key = keyOfOrigin(origin);
  const state = { memoryBytes: 0, cards: [], globals: [1, 2] };
  writeImage(parent, origin, { state, library: new Map([['a.rb', Buffer.alloc(5000, 'x')]]) });
  const path = join(parent, imageName(key));
  const image = readFileSync(path);
  expect(readImage(path, key)).not.toBeNull();
  for (const bytes of damage(image, TRIES || 60, 11)) {
    writeFileSync(path, bytes);
    if (!bytes.equals(image)) expect(readImage(path, key)).toBeNull();
  }
});
