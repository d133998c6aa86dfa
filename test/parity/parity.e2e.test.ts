/**
 * Every case agrees with real Puppet, but for those that `differing.ours.txt` lists. The list only
 * shrinks: `UPDATE_FIXTURES=1 vitest run test/parity` takes off what agrees by now.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_EXTERNAL_MODULES, runParityFiles } from '../../shared/moving-over/parity/parity-command.ts';
import { type GradedOutcome, listDisagreements } from '../helpers/parity-score.ts';
import { foreignSuites, readCases, unpackOwnSuites } from './case-files.ts';
import { readDifferingCases, removeDifferingCases } from './differing-cases.ts';

/** Cases with stdlib need it on this machine; `PARITY_MODULES` is a folder with another release. */
const MODULES = process.env.PARITY_MODULES ?? DEFAULT_EXTERNAL_MODULES;
const METADATA = join(MODULES, 'stdlib', 'metadata.json');
const hasModules = existsSync(METADATA);
/** Whether the installed stdlib is 8, which lacks functions of the cases' stdlib 9. */
const isStdlib8 = hasModules && /^8\./.test(JSON.parse(readFileSync(METADATA, 'utf8')).version);
/**
 * Calls of functions that are new or other in stdlib 9 and have no implementation of ours: without
 * the text of the module there is nothing to run.
 */
const OF_STDLIB_9 =
  /\b(?:stdlib::(?:batch_escape|crc32|has_function|nested_values|os_version_gte|powershell_escape|rewrap_sensitive_data|sha256|sort_by|to_json|to_python|to_ruby|to_yaml|validate_\w+|to_(?:json_pretty|toml)(?=.*Sensitive))|fqdn_rotate|has_interface_with|has_ip_\w+|parsepson)\(/;
const hasForeign = foreignSuites().length > 0;

interface Graded {
  readonly id: string;
  /** Whether the modules of this machine have what it calls. */
  readonly isRunnable: boolean;
  /** Whether it took too long or ended its thread. */
  readonly isCutShort: boolean;
  readonly disagrees: readonly string[];
}

async function gradeAll(files: readonly string[]): Promise<Graded[]> {
  const ours = new Map<string, GradedOutcome>();
  const options = {
    language: 'puppet-8' as const,
    externalModules: MODULES,
    workers: 1,
    timeLimit: 20_000,
  };
  await runParityFiles(files, options, (line) => {
    const { id, outcome }: { id: string; outcome: GradedOutcome } = JSON.parse(line);
    ours.set(id, outcome);
  });
  return files
    .flatMap((file) => [...readCases<GradedOutcome>(file)])
    .map(({ id, outcome, source, external_modules }) => {
      const answer = ours.get(id) ?? {};
      return {
        id,
        isRunnable: external_modules === undefined || (hasModules && !(isStdlib8 && OF_STDLIB_9.test(source))),
        isCutShort: !answer.status || String(answer.error?.message).startsWith(`case ${id} `),
        disagrees: listDisagreements(outcome, answer),
      };
    });
}

describe('parity with real Puppet', () => {
  const own = unpackOwnSuites();
  let graded: Graded[] = [];

  beforeAll(async () => {
    graded = await gradeAll([...own.files, ...foreignSuites()]);
  });

  afterAll(() => rmSync(own.folder, { recursive: true, force: true }));

  it('runs every case to its end', () => {
    expect(graded.length).toBeGreaterThanOrEqual(2986);
    expect(graded.filter(({ isCutShort }) => isCutShort).map(({ id }) => id)).toEqual([]);
  });

  it('has an id of its own for each case', () => {
    expect(new Set(graded.map(({ id }) => id)).size).toBe(graded.length);
  });

  it('agrees with every case that is not known to differ', () => {
    const differing = readDifferingCases();
    const lost = graded
      .filter(({ id, isRunnable, disagrees }) => isRunnable && disagrees.length > 0 && !differing.has(id))
      .map(({ id, disagrees }) => `${id}: ${disagrees.join(', ')}`);
    expect(lost).toEqual([]);
    if (process.env.UPDATE_FIXTURES !== '1') return;
    removeDifferingCases(new Set(graded.filter(({ disagrees }) => disagrees.length === 0).map(({ id }) => id)));
  });

  it('lists as differing only cases that there are', () => {
    const ids = new Set(graded.map(({ id }) => id));
    const known = [...readDifferingCases().keys()].filter((id) => hasForeign || id.startsWith('gen-'));
    expect(known.filter((id) => !ids.has(id))).toEqual([]);
  });
});
