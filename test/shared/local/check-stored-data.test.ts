import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepChecking } from '../../../shared/local/check-stored-data.ts';
import { readDamage } from '../../../shared/store/embedded/damage/damage-log.ts';
import { EmbeddedDatabase } from '../../../shared/store/embedded/database.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'understudy-check-'));
  const database = new EmbeddedDatabase(directory);
  database.runNow("INSERT INTO environments (name, revision, record) VALUES ('production', 1, '{}')");
  database.close();
});
afterEach(() => rmSync(directory, { recursive: true }));

/** What is logged in two days. */
async function logTwoDays(): Promise<readonly string[]> {
  const stopping = new AbortController();
  const pauses: number[] = [];
  const lines: string[] = [];
  const sleep = async (pause: number) => {
    pauses.push(pause);
    if (pauses.length === 3) stopping.abort();
  };
  const log = { logEntry: (line: string) => void lines.push(line), logError: (line: string) => void lines.push(line) };
  await keepChecking(directory, { sleep }, log, stopping.signal);
  expect(pauses).toEqual([60_000, 86_400_000, 86_400_000]);
  return lines;
}

it('is silent about a sound database', async () => {
  expect(await logTwoDays()).toEqual([]);
  expect(readDamage(directory)).toEqual([]);
});

it('finds a row whose key is damaged, so that nobody reads it', async () => {
  const plain = new DatabaseSync(join(directory, 'understudy.db'));
  plain.function('row_digest', { deterministic: true, varargs: true }, () => 1);
  plain.exec("UPDATE environments SET name = 'prodection'");
  plain.close();
  const line = `The row 'prodection' of table environments is damaged: deploy the environment again; see 'understudy verify'`;
  expect(await logTwoDays()).toEqual([line, line]);
  expect(readDamage(directory)).toEqual([{ kind: 'row', name: "'prodection' of table environments" }]);
});

it('finds a database that is none', async () => {
  writeFileSync(join(directory, 'understudy.db'), 'other');
  const line = `data directory '${directory}' cannot be used: file is not a database: restore a backup ('understudy restore'); see 'understudy verify'`;
  expect(await logTwoDays()).toEqual([line, line]);
  expect(readDamage(directory)).toEqual([{ kind: 'database', name: 'file is not a database' }]);
});
