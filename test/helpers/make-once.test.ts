import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeOnce } from './make-once.ts';

let parent: string;
let folder: string;
/** The number of times that the folder was made. */
let made: number;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'understudy-make-once-'));
  folder = join(parent, 'made');
  made = 0;
});
afterEach(() => rmSync(parent, { recursive: true }));

async function make(draft: string): Promise<void> {
  made += 1;
  mkdirSync(draft);
}

it('is waited for, however long one takes', async () => {
  const gate = Promise.withResolvers<void>();
  const first = makeOnce(folder, async (draft) => {
    await make(draft);
    await gate.promise;
  });
  utimesSync(`${folder}.pid`, 0, 0);
  const second = makeOnce(folder, make);
  gate.resolve();
  await Promise.all([first, second]);
  expect([made, readdirSync(parent)]).toEqual([1, ['made']]);
});

it('is made by another one when the process ended that had begun', async () => {
  const { pid } = spawnSync('true');
  writeFileSync(`${folder}.pid`, String(pid));
  mkdirSync(`${folder}.draft`);
  await makeOnce(folder, make);
  expect([made, readdirSync(parent)]).toEqual([1, ['made']]);
});

it('is made by the next one when that failed', async () => {
  await expect(makeOnce(folder, () => Promise.reject(new Error('in vain')))).rejects.toThrow('in vain');
  expect(existsSync(`${folder}.pid`)).toBe(false);
  await makeOnce(folder, make);
  expect(made).toBe(1);
});
