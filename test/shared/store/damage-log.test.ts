import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EmbeddedBlobStore } from '../../../shared/store/embedded/blob-store.ts';
import {
  countDamage,
  type Damage,
  describeDamage,
  forgetDamage,
  noteDamage,
  readDamage,
} from '../../../shared/store/embedded/damage/damage-log.ts';
import { checkDatabase } from '../../../shared/store/embedded/damage/database-check.ts';
import { EmbeddedDatabase } from '../../../shared/store/embedded/database.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'understudy-damage-log-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const ROW: Damage = { kind: 'row', name: "'a' of table nodes" };
const REMEDY = "'understudy verify --repair' says what is lost and heals what it can";

it('notes each thing once, in one line', () => {
  expect(describeDamage(readDamage(directory))).toEqual([]);
  for (const name of ['a\nb', 'a\nb', 'a']) noteDamage(directory, { kind: 'blob', name });
  noteDamage(directory, ROW);
  expect(readDamage(directory)).toEqual([{ kind: 'blob', name: 'a b' }, { kind: 'blob', name: 'a' }, ROW]);
  expect(countDamage(readDamage(directory))).toEqual({ blob: 2, row: 1, database: 0 });
  expect(describeDamage(readDamage(directory))).toEqual([
    `Damage was found in the data directory: blob a b, blob a, row 'a' of table nodes: ${REMEDY}`,
  ]);
  forgetDamage(directory);
  expect(readDamage(directory)).toEqual([]);
});

it('names the first of much, and skips lines that are damaged', () => {
  writeFileSync(join(directory, 'damage-found'), 'blob a\nrou b\nrow\nrow c\nrow d\nrow e\nro');
  expect(describeDamage(readDamage(directory))).toEqual([
    `Damage was found in the data directory: blob a, row c, row d and 1 more: ${REMEDY}`,
  ]);
});

it('notes where it can write alone', () => {
  noteDamage(join(directory, 'none'), ROW);
  expect(readDamage(join(directory, 'none'))).toEqual([]);
});

it('has what blob store, database, and check of the database find', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const database = new EmbeddedDatabase(directory);
  const blobs = new EmbeddedBlobStore(directory);
  await blobs.put('files/a/b', Buffer.from('1'));
  const path = join(directory, 'blobs/files/a/b@1');
  writeFileSync(path, readFileSync(path).fill(0, 0, 1));
  expect(await blobs.get('files/a/b')).toBeNull();
  warn.mockRestore();
  for (const name of ['a', 'b'])
    database.runNow("INSERT INTO node_groups (name, version, head) VALUES (?, 1, '')", name);
  const plain = new DatabaseSync(join(directory, 'understudy.db'));
  plain.function('row_digest', { deterministic: true, varargs: true }, () => 1);
  plain.exec('UPDATE node_groups SET version = 2');
  plain.close();
  for (let count = 0; count < 2; count += 1) {
    expect(() => database.getNow("SELECT head FROM node_groups WHERE name = 'a'")).toThrow("the row 'a' of table");
  }
  database.close();
  const found = [
    { kind: 'blob', name: 'files/a/b' },
    { kind: 'row', name: "'a' of table node_groups" },
  ];
  expect(readDamage(directory)).toEqual(found);
  checkDatabase(directory);
  expect(readDamage(directory)).toEqual([...found, { kind: 'row', name: "'b' of table node_groups" }]);
  forgetDamage(directory);
  writeFileSync(join(directory, 'understudy.db'), 'no database');
  expect(() => new EmbeddedDatabase(directory)).toThrow('file is not a database');
  expect(readDamage(directory)).toEqual([{ kind: 'database', name: 'file is not a database' }]);
});
