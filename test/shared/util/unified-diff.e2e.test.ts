import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { printUnifiedDiff } from '../../../shared/util/unified-diff.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-diff-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the installed `diff -u` says, without the names. */
function judged(before: string, after: string): string {
  const files = [before, after].map((text, index) => {
    const file = join(folder, String(index));
    writeFileSync(file, text);
    return file;
  });
  const { stdout } = spawnSync('diff', ['-u', ...files], { encoding: 'utf8' });
  return stdout.replace(/^--- .*\n\+\+\+ .*\n/, '');
}

const COUNTED = Array.from({ length: 60 }, (_, index) => `line ${index}\n`);
const changed = (...indices: readonly number[]) =>
  COUNTED.map((line, index) => (indices.includes(index) ? `changed ${index}\n` : line)).join('');

describe('unifiedDiff', () => {
  it.each([
    ['', ''],
    ['a\n', 'a\n'],
    ['', 'a\n'],
    ['a\n', ''],
    ['', 'a'],
    ['a', 'a\n'],
    ['a\nb', 'a\nc'],
    ['one\ntwo\nthree\n', 'one\n2\nthree\nfour\n'],
    ['\n\n\n', '\n\n'],
    ['a\nb\nc\n', 'x\ny\n'],
    [COUNTED.join(''), changed(0)],
    [COUNTED.join(''), changed(59)],
    [COUNTED.join(''), changed(10, 16)],
    [COUNTED.join(''), changed(10, 17)],
    [COUNTED.join(''), changed(10, 18)],
    [COUNTED.join(''), changed(2, 30, 31, 57)],
    [COUNTED.join(''), COUNTED.slice(20).join('')],
  ])('says of %j and %j what diff says', (before, after) => {
    expect(printUnifiedDiff(before, after)).toBe(judged(before, after));
  });

  it('says as much as diff of texts without order', () => {
    let state = 7;
    const chance = (most: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % most;
    };
    const text = () => Array.from({ length: chance(40) }, () => `${'abcdef'[chance(6)]}\n`).join('');
    const size = (diff: string) => diff.split('\n').filter((line) => /^[-+]/.test(line)).length;
    for (let round = 0; round < 50; round += 1) {
      const [before, after] = [text(), text()];
      const ours = printUnifiedDiff(before, after);
      expect(applied(before, ours)).toBe(after);
      expect(size(ours)).toBeLessThanOrEqual(size(judged(before, after)));
    }
  });

  it('takes texts that have little in common for changed as a whole', () => {
    const [before, after] = ['a', 'b'].map((name) =>
      Array.from({ length: 3000 }, (_, index) => `${name}${index}\n`).join(''),
    );
    expect(applied(before ?? '', printUnifiedDiff(before ?? '', after ?? ''))).toBe(after);
  });
});

/** `text` with the hunks of `diff` applied. */
function applied(text: string, diff: string): string {
  const rest = text.split(/(?<=\n)/);
  const lines: string[] = [];
  let at = 0;
  for (const line of diff.split(/(?<=\n)/)) {
    const header = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (header) {
      const start = Number(header[1]) - (header[2] === '0' ? 0 : 1);
      lines.push(...rest.slice(at, start));
      at = start;
    } else if (line.startsWith('+')) {
      lines.push(line.slice(1));
    } else if (line !== '') {
      expect(rest[at]).toBe(line.slice(1));
      if (line.startsWith(' ')) lines.push(line.slice(1));
      at += 1;
    }
  }
  return [...lines, ...rest.slice(at)].join('');
}
