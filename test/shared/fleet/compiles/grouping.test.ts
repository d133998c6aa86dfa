import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explainNode } from '../../../../shared/cli/commands/node/explain-command.ts';
import { feed } from '../../../../shared/fleet/compiles/ring.ts';
import { GroupService } from '../../../../shared/fleet/groups/group-service.ts';
import { type GroupDelta, ROOT_ID, readGroupBody } from '../../../../shared/fleet/groups/node-group.ts';
import {
  classifyNode,
  type ExternalClassifier,
  ExternalClassifierFailed,
} from '../../../../shared/fleet/nodes/classification.ts';
import { settleGroups } from '../../../../shared/fleet/nodes/settle-groups.ts';
import { compile } from '../../../../shared/puppet/compiler/compile.ts';
import { CountingSecrets } from '../../../helpers/access-world.ts';
import { listClasses } from '../../../helpers/classifier-door.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';

let world: CompileWorld;
let groups: GroupService;

beforeEach(async () => {
  world = new CompileWorld(undefined, compile);
  const manifest = (environment: string) => ({
    [`environments/${environment}/manifests/site.pp`]: `class web(Integer $port = 80) { notify { "${environment} \${port} \${::zone}": } }\n`,
  });
  world.write({ ...manifest('production'), ...manifest('staging') });
  await world.deploy();
  await world.deploy('staging');
  groups = new GroupService({ ...world.stores, secrets: new CountingSecrets() }, listClasses({}));
});
afterEach(() => world.close());

const WEB = { rule: ['=', ['fact', 'tier'], 'web'], classes: { web: {} }, variables: { zone: 'a' } };

async function create(name: string, content: object): Promise<string> {
  const delta: GroupDelta = readGroupBody({ name, parent: ROOT_ID, classes: {}, ...content }, false);
  return (await groups.create(delta)).group.id;
}

const edit = (id: string, delta: object) => groups.edit(id, readGroupBody(delta, true));

async function titles(certname: string, facts: Parameters<typeof checkIn>[1], external?: ExternalClassifier) {
  const { resources } = catalogOf(await world.run(checkIn(certname, facts), external)) as {
    resources: { type: string; title: string }[];
  };
  return resources.filter(({ type }) => type === 'Notify').map(({ title }) => title);
}

const compilesOf = async (certname: string) => (await world.stores.nodes.get(certname))?.compiles;

describe('a node in groups', () => {
  it('is compiled with their classes, variables and environment', async () => {
    await create('Web', { ...WEB, classes: { web: { port: 8080 } }, environment: 'staging' });
    expect(await titles('a', { tier: 'web' })).toEqual(['staging 8080 a']);
    expect(await titles('b', { tier: 'db' })).toEqual([]);
  });

  it('is compiled again when a fact that a rule reads moves it, and not for other facts', async () => {
    await create('Web', WEB);
    expect(await titles('a', { tier: 'web', uptime: 1 })).toEqual(['production 80 a']);
    expect(await titles('a', { tier: 'web', uptime: 2 })).toEqual(['production 80 a']);
    expect(await compilesOf('a')).toBe(1);
    expect(await titles('a', { tier: 'db', uptime: 2 })).toEqual([]);
    expect(await compilesOf('a')).toBe(2);
    expect((await world.stores.nodes.get('a'))?.reasons).toEqual(['first catalog', 'classification changed']);
  });

  it('is not compiled again when another group with the same answer takes it', async () => {
    await create('Web', WEB);
    await create('Front', { ...WEB, rule: ['=', ['fact', 'tier'], 'front'] });
    await titles('a', { tier: 'web' });
    expect(await titles('a', { tier: 'front' })).toEqual(['production 80 a']);
    expect(await compilesOf('a')).toBe(1);
  });

  it('never gets a catalog of former groups as current, before any node was invalidated', async () => {
    const id = await create('Web', WEB);
    await titles('a', { tier: 'web' });
    await edit(id, { variables: { zone: 'b' } });
    expect(await titles('a', { tier: 'web' })).toEqual(['production 80 b']);
    await edit(id, { rule: ['=', 'name', 'other'] });
    expect(await titles('a', { tier: 'web' })).toEqual([]);
    await groups.delete(id);
    expect(await titles('a', { tier: 'web' })).toEqual([]);
    expect(await compilesOf('a')).toBe(3);
  });

  it('is compiled as the operator says, who comes before groups', async () => {
    const id = await create('Web', WEB);
    await classifyNode('a', { classes: ['web'], parameters: { zone: 'own' }, environment: null }, world.stores);
    expect(await titles('a', { tier: 'web' })).toEqual(['production 80 own']);
    await edit(id, { variables: { zone: 'b' } });
    expect(await titles('a', { tier: 'web' })).toEqual(['production 80 own']);
    expect(await compilesOf('a')).toBe(1);
    await classifyNode('a', null, world.stores);
    expect(await titles('a', { tier: 'web' })).toEqual(['production 80 b']);
  });

  it('fails with what its groups disagree about', async () => {
    await create('One', WEB);
    const id = await create('Other', { ...WEB, variables: { zone: 'b' } });
    expect(await world.run(checkIn('a', { tier: 'web' }))).toMatchObject({
      status: 'failed',
      message:
        'The node groups of a have conflicting values: variable zone: "a" from \'One\', "b" from \'Other\' on node a',
    });
    await edit(id, { variables: { zone: 'a' } });
    expect(await titles('a', { tier: 'web' })).toEqual(['production 80 a']);
  });

  it('keeps the environment of its agent in a group that leaves it to him', async () => {
    await create('Web', { ...WEB, environment: 'agent-specified' });
    const answer = await world.run({ ...checkIn('a', { tier: 'web' }), environment: 'staging' });
    expect(catalogOf(answer)).toMatchObject({ environment: 'staging' });
  });

  it('keeps the environment of its agent in no group but an empty root', async () => {
    await create('Web', WEB);
    const answer = await world.run({ ...checkIn('a', { tier: 'db' }), environment: 'staging' });
    expect(catalogOf(answer)).toMatchObject({ environment: 'staging' });
    await edit(ROOT_ID, { variables: { zone: 'root' } });
    const again = await world.run({ ...checkIn('a', { tier: 'db' }), environment: 'staging' });
    expect(catalogOf(again)).toMatchObject({ environment: 'production' });
  });

  it('finds their configuration data in Hiera', async () => {
    world.write({
      'environments/production/hiera.yaml':
        'version: 5\nhierarchy:\n- {name: Groups, data_hash: classifier_data}\n- {name: Common, path: common.yaml}\n',
      'environments/production/data/common.yaml': 'web::port: 1\n',
    });
    await world.deploy();
    const id = await create('Web', { ...WEB, config_data: { web: { port: 99 } } });
    expect(await titles('a', { tier: 'web' })).toEqual(['production 99 a']);
    await edit(id, { config_data: { web: null } });
    expect(await titles('a', { tier: 'web' })).toEqual(['production 1 a']);
    expect(await titles('b', { tier: 'db' })).toEqual([]);
  });

  it('is compiled anew while its compile is under way, when groups change meanwhile', async () => {
    const id = await create('Web', WEB);
    const service = world.createService();
    const accepted = await service.accept(checkIn('a', { tier: 'web' }));
    if (accepted.kind !== 'held') throw new Error('the request is not held');
    const facts = checkIn('a', { tier: 'web' }).facts;
    const waiting = accepted.wait(facts && { parse: async () => facts });
    await edit(id, { variables: { zone: 'b' } });
    const timer = setInterval(() => void world.runJobs(), 5);
    const { resources } = catalogOf(await waiting) as { resources: { title: string }[] };
    clearInterval(timer);
    expect(resources.map(({ title }) => title)).toContain('production 80 b');
  });
});

describe('a changed group', () => {
  const invalidate = () => settleGroups(world.stores);

  it('compiles the nodes whose classification changes, and no others', async () => {
    const id = await create('Web', WEB);
    for (const [name, tier] of [
      ['a', 'web'],
      ['b', 'web'],
      ['c', 'db'],
    ] as const)
      await titles(name, { tier });
    expect(await invalidate()).toEqual({ changed: [], visited: 3, isSettled: true });
    await edit(id, { description: 'nothing that a node sees', variables: { zone: 'b' } });
    expect(await invalidate()).toEqual({ changed: ['a', 'b'], visited: 3, isSettled: true });
    const reports = await world.runJobs();
    expect(reports.map(({ certname, outcome }) => [certname, outcome])).toEqual([
      ['a', 'compiled'],
      ['b', 'compiled'],
    ]);
    expect(await titles('a', { tier: 'web' })).toEqual(['production 80 b']);
    expect(await compilesOf('a')).toBe(2);
    expect(await invalidate()).toEqual({ changed: [], visited: 0, isSettled: true });
  });

  it('reads facts for nodes of which a new rule reads a new fact', async () => {
    await create('Web', WEB);
    await titles('a', { tier: 'db', rack: 'r1' });
    await invalidate();
    await create('Rack', { ...WEB, rule: ['=', ['fact', 'rack'], 'r1'] });
    expect((await invalidate()).changed).toEqual(['a']);
    await world.runJobs();
    expect(await world.stores.nodes.get('a')).toMatchObject({
      grouping: { values: { '["fact","rack"]': 'r1', '["fact","tier"]': 'db' } },
      inputs: { classification: expect.any(String) },
    });
  });

  it('is taken up again where a process ended', async () => {
    const id = await create('Web', WEB);
    for (let node = 0; node < 5; node += 1) await titles(`n${node}`, { tier: 'web' });
    await invalidate();
    await edit(id, { variables: { zone: 'b' } });
    expect(await settleGroups(world.stores, undefined, () => true)).toEqual({
      changed: [],
      visited: 0,
      isSettled: false,
    });
    await feed(world.stores);
    expect((await world.stores.groups.get())?.settled).toBe(2);
    expect((await world.runJobs()).filter(({ outcome }) => outcome === 'compiled')).toHaveLength(5);
  });

  it('changes nothing for nodes that the operator classified', async () => {
    const id = await create('Web', WEB);
    await titles('a', { tier: 'web' });
    await classifyNode('a', { classes: [], parameters: {}, environment: null }, world.stores);
    await world.runJobs();
    await edit(id, { variables: { zone: 'b' } });
    expect(await invalidate()).toEqual({ changed: [], visited: 1, isSettled: true });
  });
});

describe('an external node classifier', () => {
  const program = (answers: Readonly<Record<string, string>>) => {
    const asked: string[] = [];
    const classify: ExternalClassifier['classify'] = async (certname) => {
      asked.push(certname);
      const zone = answers[certname];
      if (zone === 'broken') throw new ExternalClassifierFailed('it is broken');
      return zone === undefined ? null : { classes: { web: null }, parameters: { zone }, environment: null };
    };
    return { asked, classifier: { classify } };
  };

  it('is asked when a node checks in, and comes behind groups', async () => {
    const { asked, classifier } = program({ a: 'x', b: 'y' });
    await create('Web', WEB);
    expect(await titles('a', { tier: 'web' }, classifier)).toEqual(['production 80 a']);
    expect(asked).toEqual([]);
    expect(await titles('b', { tier: 'db' }, classifier)).toEqual(['production 80 y']);
    expect(await titles('c', { tier: 'db' }, classifier)).toEqual([]);
    expect(asked).toEqual(['b', 'c']);
  });

  it('compiles a node again when its answer changed', async () => {
    const answers: Record<string, string> = { a: 'x' };
    const { asked, classifier } = program(answers);
    expect(await titles('a', {}, classifier)).toEqual(['production 80 x']);
    expect(await titles('a', {}, classifier)).toEqual(['production 80 x']);
    expect(await compilesOf('a')).toBe(1);
    answers.a = 'y';
    world.write({ 'environments/production/manifests/other.pp': '# a deploy asks nobody' });
    await world.deploy();
    await world.runJobs();
    expect(asked).toHaveLength(2);
    expect(await titles('a', {}, classifier)).toEqual(['production 80 y']);
    expect(await titles('a', {})).toEqual([]);
  });

  it('that fails has the request fail', async () => {
    const { classifier } = program({ a: 'broken' });
    expect(await world.run(checkIn('a', {}), classifier)).toEqual({ status: 'failed', message: 'it is broken' });
  });
});

it('is named by `node explain`, with what rules read', async () => {
  await create('Web', WEB);
  const explained = async (name: string) => {
    const node = await world.stores.nodes.get(name);
    return node === null ? '' : explainNode(node, world.stores, { format: 'text', now: 1 });
  };
  await titles('a', { tier: 'web' });
  expect(await explained('a')).toContain('\nClassified by the node groups, whose rules read ["fact","tier"]\n');
  await titles('b', { tier: 'db' });
  expect(await explained('b')).not.toContain('Classified by');
  await classifyNode('b', { classes: [], parameters: {}, environment: null }, world.stores);
  expect(await explained('b')).toContain('\nClassified by the operator\n');
});
