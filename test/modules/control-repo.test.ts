/**
 * The nodes of the control repo beside this project, with what others exported to them, here and,
 * live, with real Puppet.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readExports } from '../../shared/cli/commands/node-files.ts';
import { NativeFunctions } from '../../shared/puppet/ruby/native/native-functions.ts';
import { NativeTemplates } from '../../shared/puppet/ruby/native/native-templates.ts';
import { BESIDE, isBeside } from '../helpers/material-beside.ts';
import { expectSame } from './expect-same.ts';
import { hasModules } from './installed-modules.ts';
import { compileHere, compileWithPuppet, type JudgedNode, type NodeOutcome, prepareTypes } from './judged-nodes.ts';

const CONTROL_REPO = BESIDE.controlRepo;
const isHere = isBeside('controlRepo');

const NODES: readonly JudgedNode[] = !isHere
  ? []
  : readdirSync(join(CONTROL_REPO, 'facts')).map((file) => {
      const facts = JSON.parse(readFileSync(join(CONTROL_REPO, 'facts', file), 'utf8'));
      const certname = file.replace(/\.json$/, '');
      return { certname, facts: facts.values ?? facts, exports: readExports(join(CONTROL_REPO, 'exports', file)) };
    });

describe.skipIf(!isHere || !hasModules())('nodes of the control repo', () => {
  let codeDirectory: string;
  let ours: ReadonlyMap<string, NodeOutcome>;
  let real: ReadonlyMap<string, NodeOutcome>;
  let said: ReadonlySet<string>;
  /** What functions and templates gave without Ruby, null where Ruby was asked. */
  let native: readonly unknown[];

  beforeAll(async () => {
    codeDirectory = mkdtempSync(join(tmpdir(), 'understudy-control-repo-'));
    execFileSync('bash', [join(CONTROL_REPO, 'setup.sh'), codeDirectory]);
    const job = { codeDirectory, strict: 'warning', nodes: NODES } as const;
    real = await compileWithPuppet(job);
    const spies = [
      vi.spyOn(NativeFunctions.prototype, 'call'),
      vi.spyOn(NativeFunctions.prototype, 'callLegacy'),
      vi.spyOn(NativeTemplates.prototype, 'render'),
    ];
    ours = compileHere(job);
    native = spies.flatMap((spy) => spy.mock.results.map(({ value }) => value));
    said = new Set([...real.values()].flatMap(({ log }) => log));
  });

  afterAll(() => {
    vi.restoreAllMocks();
    rmSync(codeDirectory, { recursive: true, force: true });
  });

  it('has nodes', () => {
    expect(NODES.length).toBeGreaterThanOrEqual(6);
  });

  it('render templates', () => {
    expect([...real.values()].flatMap(({ renders }) => renders).length).toBeGreaterThan(10);
  });

  it('need no Ruby for functions and templates', () => {
    expect(native.length).toBeGreaterThan(20);
    expect(native.filter((result) => result === null)).toEqual([]);
  });

  it('get the same catalogs when Ruby runs all templates and functions', () => {
    const judged = compileHere({
      codeDirectory,
      strict: 'warning',
      nodes: NODES,
      rendersAll: true,
      types: prepareTypes(codeDirectory),
    });
    expect(judged.size).toBe(NODES.length);
    for (const [certname, outcome] of judged) expectSame(ours.get(certname), outcome, new Set());
  });

  it.each(NODES.map(({ certname }) => certname))('%s does not depend on all of its facts', (certname) => {
    const read = ours.get(certname)?.factsRead ?? [];
    expect(read).not.toEqual([]);
    expect(read).not.toContain('[]');
  });

  it.each(NODES.map(({ certname }) => certname))('%s gets the catalog that real Puppet makes', (certname) => {
    expect(real.get(certname)).toMatchObject({ status: 'ok' });
    expectSame(ours.get(certname), real.get(certname), said);
  });
});
