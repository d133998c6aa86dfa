import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readOpenFileLimit, shareConnections } from '../../../../shared/http/listener/open-files.ts';

it.each([
  [
    'Limit                     Soft Limit           Hard Limit           Units\nMax open files            300                  4096                 files\n',
    300,
  ],
  ['Max open files            unlimited            unlimited            files\n', null],
  ['', null],
])('reads the soft limit of open files: %j', (text, limit) => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-limits-'));
  writeFileSync(join(folder, 'limits'), text);
  expect(readOpenFileLimit(join(folder, 'limits'))).toBe(limit);
  rmSync(folder, { recursive: true });
});

it('knows no limit where the system does not tell it', () => {
  expect(readOpenFileLimit('/nowhere/limits')).toBe(null);
});

it.each([
  // Wanted, open files, workers: for the front door, and for the broker.
  [10_000, null, 1, 10_000, Number.POSITIVE_INFINITY],
  [10_000, 1_048_576, 8, 10_000, 1_028_156],
  [10_000, 20_000, 2, 4955, 9910],
  [10_000, 300, 1, 40, 80],
  [20, 300, 1, 20, 120],
  [10_000, 64, 1, 16, 16],
])(
  'gives of %s wanted connections, with %s open files and %s workers, %s and %s',
  (wanted, files, workers, ...shares) => {
    const { frontDoor, broker } = shareConnections(wanted, files, workers);
    expect([frontDoor, broker]).toEqual(shares);
    const isEnough = files === null || files < 300 || 2 * frontDoor + broker + 100 + 40 * workers <= files;
    expect(isEnough).toBe(true);
  },
);
