import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openAccessFile } from '../../../../shared/cli/commands/access-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-access-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('appends a line for each entry', () => {
  const path = join(folder, 'access.log');
  const told: string[] = [];
  for (const status of [200, 404]) {
    const file = openAccessFile(path, (line) => told.push(line));
    file.write({ status });
    file.close();
  }
  expect([readFileSync(path, 'utf8'), told]).toEqual(['{"status":200}\n{"status":404}\n', []]);
});

it('writes to a new file after the old one was renamed and it is told so', () => {
  const path = join(folder, 'rotated.log');
  const told: string[] = [];
  const file = openAccessFile(path, (line) => told.push(line));
  file.write({ status: 1 });
  renameSync(path, `${path}.1`);
  file.write({ status: 2 });
  file.reopen();
  file.write({ status: 3 });
  rmSync(path);
  mkdirSync(path);
  file.reopen();
  file.close();
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('{"status":1}\n{"status":2}\n');
  expect(told).toEqual([
    `The access log '${path}' cannot be opened again: EISDIR: illegal operation on a directory, open '${path}'`,
  ]);
});

it('tells once that the disk is full, and lets requests go on', () => {
  const told: string[] = [];
  const file = openAccessFile('/dev/full', (line) => told.push(line));
  for (const status of [200, 404]) file.write({ status });
  file.close();
  expect(told).toEqual(["The access log '/dev/full' loses lines: ENOSPC: no space left on device, write"]);
});

it('names a file that cannot be opened', () => {
  expect(() => openAccessFile(folder, () => {})).toThrow(
    `the access log '${folder}' cannot be written: EISDIR: illegal operation on a directory, open '${folder}'`,
  );
});
