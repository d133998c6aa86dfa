import { expect, it } from 'vitest';
import { GitProgress } from '../../../../shared/fleet/sources/git-progress.ts';

function readAll(...parts: readonly string[]) {
  const steps: unknown[] = [];
  const progress = new GitProgress((...step) => void steps.push(step));
  const kept = parts.map((part) => progress.take(part)).join('') + progress.rest;
  return { steps, kept };
}

it('takes the steps out of what git writes, wherever it is cut', () => {
  const { steps, kept } = readAll(
    'remote: Counting objects:  50% (1/2)\rremote: Counting objects: 100% (2/2), done.\n',
    'Receiving obj',
    'ects:  45% (9/20), 1.20 MiB | 500.00 KiB/s\r',
    'Resolving deltas: 100% (7/7), done.\nFrom https://git.example.com/a\n',
    "fatal: couldn't find remote ref",
  );
  expect(steps).toEqual([
    ['counting objects', 1, 2],
    ['counting objects', 2, 2],
    ['receiving objects', 9, 20],
    ['resolving deltas', 7, 7],
  ]);
  expect(kept).toBe("From https://git.example.com/a\nfatal: couldn't find remote ref");
});

it.each([
  ['a sequence for a terminal', 'remote: \u001b[2J: 10% (1/2)\n'],
  ['numbers without an end', `Receiving objects: 10% (${'9'.repeat(400)}/2)\n`],
  ['a name without an end', `${'Ab '.repeat(5000)}: 10% (1/2)\n`],
])('takes %s of a remote for no step, and keeps little of a line', (_, text) => {
  const { steps, kept } = readAll(...(text.match(/.{1,700}/gs) ?? []));
  expect(steps).toEqual([]);
  expect(kept.length).toBeLessThan(2000);
});
