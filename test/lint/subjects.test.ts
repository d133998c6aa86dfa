import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const HOOK = join(import.meta.dirname, '..', '..', '.githooks', 'commit-msg');

function commit(message: string) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-test-subject-'));
  try {
    const file = join(folder, 'COMMIT_EDITMSG');
    writeFileSync(file, message);
    return spawnSync(HOOK, [file], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the hook of commit messages', () => {
  it('takes a subject of 72 characters, whatever follows', () => {
    expect(commit(`${'x'.repeat(72)}\n\n${'y'.repeat(100)}\n# ${'z'.repeat(100)}\n`).status).toBe(0);
  });

  it('refuses one of 73, and prints it', () => {
    const subject = 'x'.repeat(73);
    const { status, stderr } = commit(`# a comment of git\n${subject}\n`);
    expect([status, stderr]).toEqual([1, `A subject has at most 72 characters:\n${subject}\n`]);
  });
});
