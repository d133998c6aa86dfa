import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import type { NodeComparison } from '../../../../shared/fleet/comparisons/node-comparison.ts';
import { ComparisonState } from '../../../../shared/moving-over/comparison/comparison-state.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-compare-'));
const file = join(folder, 'state.jsonl');
const SUBJECT = { existing: 'http://pdb', code: 'repo' };
beforeEach(() => rmSync(file, { force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

const equal = (certname: string): NodeComparison => ({ certname, environment: 'production', at: 1, outcome: 'equal' });

async function open(subject = SUBJECT): Promise<[ComparisonState, readonly string[]]> {
  const taken: string[] = [];
  const state = await ComparisonState.open(file, subject, ({ certname }) => taken.push(certname));
  return [state, taken];
}

it('goes on after the nodes that were compared, without those that could not be', async () => {
  const [state] = await open();
  state.add(equal('a'));
  state.add({ ...equal('b'), outcome: 'unknown', message: 'away' });
  appendFileSync(file, '{"certname":"c","outco');
  const [resumed, taken] = await open();
  expect(taken).toEqual(['a']);
  resumed.add(equal('d'));
  expect((await open())[1]).toEqual(['a', 'd']);
});

it('begins anew after the end of a run', async () => {
  const [state] = await open();
  state.add(equal('a'));
  state.finish();
  expect((await open({ ...SUBJECT, code: 'other' }))[1]).toEqual([]);
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(2);
});

it.each([
  [
    { ...SUBJECT, code: 'other' },
    `'${file}' is the state of a comparison of http://pdb with repo: name another --state-file, or delete it`,
  ],
  [{ ...SUBJECT, existing: 'http://x' }, expect.stringContaining('name another --state-file')],
])('refuses the file of another comparison', async (subject, message) => {
  const [state] = await open();
  state.add(equal('a'));
  await expect(open(subject)).rejects.toThrow(expect.objectContaining({ message }));
});

it('refuses other files', async () => {
  writeFileSync(file, 'certname,outcome\n');
  await expect(open()).rejects.toThrow(`'${file}' is not the state of a comparison`);
});
