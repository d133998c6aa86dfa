import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rollBack } from '../../../../shared/fleet/code/code-history.ts';
import { changePolicy } from '../../../../shared/fleet/code/environment-strictness.ts';
import { compileForCaller } from '../../../../shared/fleet/compiles/compile-question.ts';
import { compilerIdentity } from '../../../../shared/fleet/compiles/compiler-identity.ts';
import { settleEnvironment } from '../../../../shared/fleet/fan-out/settle-environment.ts';
import { FreshnessPolicies } from '../../../../shared/fleet/policies/freshness-policies.ts';
import type { PolicyEntry } from '../../../../shared/fleet/policies/policy-fields.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { CompileWorld, checkIn } from '../../../helpers/compile-world.ts';

const LENIENT = { strict: 'warning', strictVariables: false } as const;
const SITE = 'notify { "<$undefined_one>": }';

let world: CompileWorld;

beforeEach(async () => {
  world = new CompileWorld(undefined, compile);
  for (const environment of ['production', 'staging']) {
    world.write({ [`environments/${environment}/manifests/site.pp`]: SITE });
    await world.deploy(environment);
  }
});
afterEach(() => world.close());

/** Sets a policy as a command does; returns the nodes that were invalidated, by environment. */
async function setPolicy(key: string, entry: PolicyEntry): Promise<Readonly<Record<string, readonly string[]>>> {
  const invalidated: Record<string, readonly string[]> = {};
  for (const { name } of await changePolicy(world.stores, key, entry)) {
    invalidated[name] = (await settleEnvironment(name, world.stores)).certnames;
  }
  return invalidated;
}

const ask = (certname: string, environment: string) => world.run(checkIn(certname, {}, { environment }));
const statusOf = async (certname: string, environment: string) => (await ask(certname, environment)).status;

describe('the strictness of an environment', () => {
  it('is that of the compiles of its nodes, and of those alone', async () => {
    expect([await statusOf('p1', 'production'), await statusOf('s1', 'staging')]).toEqual(['failed', 'failed']);
    expect(await setPolicy('environments/staging', LENIENT)).toEqual({ staging: ['s1'] });
    const reports = await world.runJobs();
    expect(reports.map(({ certname, outcome, reasons }) => ({ certname, outcome, reasons }))).toEqual([
      {
        certname: 's1',
        outcome: 'compiled',
        reasons: ['strict=error strict_variables=true -> strict=warning strict_variables=false'],
      },
    ]);
    expect([await statusOf('p1', 'production'), await statusOf('s1', 'staging')]).toEqual(['failed', 'current']);
    expect((await world.stores.nodes.get('p1'))?.compiles).toBe(1);
  });

  it('goes with its language, whose change compiles that environment and no other', async () => {
    for (const environment of ['production', 'staging']) {
      const site = 'notify { regsubst("a", "a", "b", "G", "N"): }';
      world.write({ [`environments/${environment}/manifests/site.pp`]: site });
      await world.deploy(environment);
    }
    expect([await statusOf('p1', 'production'), await statusOf('s1', 'staging')]).toEqual(['current', 'current']);
    expect(await setPolicy('environments/staging', { language: 'openvox-9' })).toEqual({ staging: ['s1'] });
    expect((await world.runJobs()).map(({ certname, outcome, reasons }) => [certname, outcome, reasons])).toEqual([
      ['s1', 'failed', ['language=openvox-8 -> language=openvox-9']],
    ]);
    expect(await statusOf('p1', 'production')).toBe('current');
    expect((await world.stores.nodes.get('s1'))?.failure?.message).toContain('expects between 3 and 4 arguments');
  });

  it('changes for a node before it is invalidated', async () => {
    await ask('s1', 'staging');
    await changePolicy(world.stores, 'environments/staging', LENIENT);
    expect(await statusOf('s1', 'staging')).toBe('current');
    const { wanted } = (await world.stores.nodes.get('s1')) ?? {};
    await settleEnvironment('staging', world.stores);
    expect((await world.stores.nodes.get('s1'))?.wanted).toBe(wanted);
  });

  it('comes from the default, too, and stays with the next deploy and with a new environment', async () => {
    await setPolicy('environments/staging', { strict: 'off' });
    expect(Object.keys(await setPolicy('default', LENIENT))).toEqual(['production', 'staging']);
    world.write({ 'environments/staging/manifests/site.pp': `${SITE}\n`, 'environments/dev/manifests/site.pp': SITE });
    const settings = async (name: string) => (await world.stores.environments.get(name))?.strictness;
    await world.deploy('staging');
    await world.deploy('dev');
    expect([await settings('production'), await settings('staging'), await settings('dev')]).toEqual([
      LENIENT,
      { ...LENIENT, strict: 'off' },
      LENIENT,
    ]);
    expect(await setPolicy('default', LENIENT)).toEqual({});
    expect(await setPolicy('environments/none', LENIENT)).toEqual({});
    expect(await statusOf('d1', 'dev')).toBe('current');
  });

  it('is the one of code that is not in force yet, and of compiles for a caller', async () => {
    world.write({ 'environments/staging/manifests/site.pp': `${SITE}\n# new` });
    const { codeId } = await world.deploy('staging');
    await setPolicy('environments/staging', LENIENT);
    const question = { certname: 's1', facts: null, trusted: null, preferRequested: true };
    const of = async (environment: string, code?: string) =>
      (await compileForCaller({ ...question, environment, codeId: code }, world.context)).reply.status;
    expect([await of('staging'), await of('staging', codeId), await of('production')]).toEqual(['ok', 'ok', 'failed']);
    const forced = { ...world.context, forcedStrictness: { strictVariables: true } };
    const refused = await compileForCaller({ ...question, environment: 'staging' }, forced);
    expect(refused.reply.status).toBe('failed');
  });

  it('compiles no node again when it is the one of the server', async () => {
    await ask('s1', 'staging');
    expect(await setPolicy('environments/staging', { strict: 'error', strictVariables: true })).toEqual({
      staging: ['s1'],
    });
    expect((await world.runJobs()).map(({ outcome }) => outcome)).toEqual(['verified']);
    expect(compilerIdentity(world.context, { strict: 'error' })).toBe(compilerIdentity(world.context));
  });

  it('is no step of the history of code, and leaves no plan', async () => {
    const first = await world.stores.environments.get('staging');
    await setPolicy('environments/staging', LENIENT);
    world.write({ 'environments/staging/manifests/site.pp': `${SITE}\n# new` });
    await changePolicy(world.stores, 'environments/staging', { strict: 'off' });
    await world.deploy('staging');
    const { codeId, strictness } = await rollBack(world.stores, 'staging', null, 'test').then(async () => {
      const record = await world.stores.environments.get('staging');
      if (record === null) throw new Error('staging is deployed');
      return record;
    });
    expect([codeId, strictness]).toEqual([first?.codeId, { strict: 'off' }]);
    expect((await world.stores.blobs.list('fan-outs/')).entries).toEqual([]);
  });

  it('does not change while the environment has a stage; other settings do', async () => {
    const record = await world.stores.environments.get('staging');
    if (record === null) throw new Error('staging is deployed');
    const plan = { waitMs: 1, whenGood: 'hold', whenWorse: 'hold', whenLate: 'hold', countsChanges: false } as const;
    const stage = { number: 2, codeId: 'f'.repeat(64), begunAt: 1, by: 'test', canaries: ['s1'], plan };
    await world.stores.environments.replace({ ...record, revision: 2, settled: 2, stage }, record.revision);
    for (const key of ['default', 'environments/staging']) {
      await expect(changePolicy(world.stores, key, LENIENT)).rejects.toThrow(
        "the staged deploy of ffffffffffff in environment 'staging' has to end first",
      );
      expect(await new FreshnessPolicies(world.stores.documents).get(key)).toBe(null);
      expect(await setPolicy(key, { freshness: 'stale' })).toEqual({});
    }
  });
});
