/**
 * The ids of cases that do not agree with real Puppet, one a line. All others must agree.
 * Behind a tab: where a case of another project comes from.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('./differing.ours.txt', import.meta.url);

/** Id and the whole line of each. */
export function readDifferingCases(): ReadonlyMap<string, string> {
  const lines = readFileSync(FILE, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => [line.split('\t')[0] ?? line, line]));
}

/** Takes cases that agree by now off the list. It never grows. */
export function removeDifferingCases(agreeing: ReadonlySet<string>): void {
  const kept = [...readDifferingCases()].filter(([id]) => !agreeing.has(id));
  writeFileSync(FILE, kept.map(([, line]) => `${line}\n`).join(''));
}
