/**
 * Every case that once agreed with real Puppet goes on to agree. The baseline only grows:
 * `UPDATE_FIXTURES=1 vitest run test/parity` adds what agrees by now.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_EXTERNAL_MODULES, runParityFiles } from '../../shared/parity/parity-command.ts';
import { disagreements, type GradedOutcome } from '../helpers/parity-score.ts';
import { readBaseline, writeBaseline } from './baseline.ts';

const CASES = new URL('../../../shared/parity/cases/', import.meta.url);
const isHere = existsSync(CASES);
/** Cases with stdlib need it on this machine. */
const hasModules = existsSync(`${DEFAULT_EXTERNAL_MODULES}/stdlib`);

interface Graded {
  readonly id: string;
  readonly needsModules: boolean;
  /** Whether it took too long or ended its thread. */
  readonly isCutShort: boolean;
  readonly disagrees: readonly string[];
}

function caseFiles(): string[] {
  return readdirSync(CASES)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => fileURLToPath(new URL(name, CASES)));
}

function* linesOf(file: string): Generator<string> {
  for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') yield line;
}

async function gradeAll(): Promise<Graded[]> {
  const ours = new Map<string, GradedOutcome>();
  const options = { externalModules: DEFAULT_EXTERNAL_MODULES, workers: 2, timeLimit: 20_000 };
  await runParityFiles(caseFiles(), options, (line) => {
    const { id, outcome }: { id: string; outcome: GradedOutcome } = JSON.parse(line);
    ours.set(id, outcome);
  });
  return caseFiles()
    .flatMap((file) => [...linesOf(file)])
    .map((line) => {
      const {
        id,
        outcome,
        external_modules,
      }: { id: string; outcome: GradedOutcome; external_modules?: readonly string[] } = JSON.parse(line);
      const answer = ours.get(id) ?? {};
      const isCutShort = !answer.status || String(answer.error?.message).startsWith(`case ${id} `);
      return {
        id,
        needsModules: external_modules !== undefined,
        isCutShort,
        disagrees: disagreements(outcome, answer),
      };
    });
}

describe.skipIf(!isHere && process.env.CI !== 'true')('parity with real Puppet', () => {
  let graded: Graded[] = [];

  beforeAll(async () => {
    graded = await gradeAll();
  }, 170_000);

  it('runs every case to its end', () => {
    expect(graded.length).toBeGreaterThan(0);
    expect(graded.filter(({ isCutShort }) => isCutShort).map(({ id }) => id)).toEqual([]);
  });

  it('agrees with every case that it once agreed with', () => {
    const baseline = readBaseline();
    const lost = graded
      .filter(({ id, needsModules, disagrees }) => {
        return disagrees.length > 0 && baseline.has(id) && (hasModules || !needsModules);
      })
      .map(({ id, disagrees }) => `${id}: ${disagrees.join(', ')}`);
    expect(lost).toEqual([]);
    if (process.env.UPDATE_FIXTURES !== '1') return;
    for (const { id, disagrees } of graded) if (disagrees.length === 0) baseline.add(id);
    writeBaseline(baseline);
  });
});
