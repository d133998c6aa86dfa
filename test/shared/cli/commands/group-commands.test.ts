import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addGroupCommands } from '../../../../shared/cli/commands/group-commands.ts';
import { storeFacts } from '../../../../shared/fleet/facts/facts-blob.ts';
import { ROOT_ID } from '../../../../shared/fleet/groups/node-group.ts';
import { classifyNode } from '../../../../shared/fleet/nodes/classification.ts';
import { listNotedChanges } from '../../../../shared/fleet/nodes/noted-changes.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { openEmbeddedStores } from '../../../../shared/store/embedded/stores.ts';
import { CompileWorld } from '../../../helpers/compile-world.ts';
import { deployFolder } from '../../../helpers/deploy-folder.ts';
import { ConsentingTerminal } from '../../../helpers/scripted-terminal.ts';

const SHORT_ID = '[0-9a-f]{8}-[0-9a-f]{4}';
let world: CompileWorld;
let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-group-'));
  world = new CompileWorld(undefined, undefined, join(folder, 'data'));
  world.write({
    'environments/production/manifests/site.pp': 'class web($port = 80, $tls = undef) { }\nclass ntp { }\n',
  });
  await deployFolder(world.stores, world.repo, 'production', 'test');
  for (const [name, tier] of [
    ['a', 'web'],
    ['b', 'db'],
  ] as const) {
    await world.stores.nodes.markSeen(name, 'production', 1);
    await world.stores.nodes.want(name, 'first catalog', 1, { asked: false });
    const facts = PuppetHash.of([['tier', tier]]);
    const said = { facts, trusted: PuppetHash.of([['certname', name]]) };
    await world.stores.nodes.factsStored(name, await storeFacts(world.stores.blobs, said, 1));
  }
});
afterEach(() => {
  world.close();
  rmSync(folder, { recursive: true });
});

const terminal = new ConsentingTerminal();

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride();
  addGroupCommands(program, { print: async (text) => void printed.push(text), variables: {}, terminal });
  await program.parseAsync(['group', ...args, '--data', join(folder, 'data')], { from: 'user' });
  return printed.join('');
}

const RULE = '["=", ["fact", "tier"], "web"]';
const createWeb = () => run('create', 'Web', '--rule', RULE, '--class', 'web={"port": 8080}', '--variable', 'zone=a');

it('creates, shows, lists, edits and deletes groups', async () => {
  expect(await createWeb()).toMatch(new RegExp(`^Web ${SHORT_ID} created\nnodes to compile: 1\n$`));
  const shown = await run('show', 'Web');
  expect(shown).toContain('Below:          All Nodes\n');
  expect(shown).toContain('Rule:           ["=",["fact","tier"],"web"]\n');
  expect(shown).toContain('Class:          web {"port":8080}\n');
  expect(shown).toContain('Variable:       zone = "a"\n');
  expect(shown).toContain('Nodes:          a\n');
  expect(JSON.parse(await run('show', 'Web', '--format', 'json'))).toMatchObject({ name: 'Web', nodes: ['a'] });
  const edited = await run('edit', 'Web', '--variable', 'hosts=["x"]', '--remove-variable', 'zone', '--trumps');
  expect(edited).toMatch(new RegExp(`^Web ${SHORT_ID} changed \\(serial number 2\\)\nnodes to compile: 1`));
  expect(await run('edit', 'Web', '--trumps')).toMatch(/ unchanged\n$/);
  const list = await run('list', '--wide');
  expect(
    list.split('\n').map((line) => line.replace(new RegExp(`${SHORT_ID}[0-9a-f-]{23}`), 'ID').replace(/ +/g, ' ')),
  ).toEqual([
    'GROUP ENVIRONMENT ID EDITED CLASSES RULE',
    'All Nodes production ID - - ["~","name",".*"]',
    expect.stringMatching(/^ Web production \(trumps\) ID [0-9T:.Z-]{24} web \["=",\["fact","tier"\],"web"\]$/),
    '',
  ]);
  const short = new RegExp(SHORT_ID).exec(edited)?.[0].slice(0, 8) ?? '';
  expect(await run('list')).toMatch(new RegExp(`  Web +production \\(trumps\\) +${short}`));
  expect(await run('show', short)).toContain('Group:          Web\n');
  expect(await run('delete', 'Web')).toBe('Web deleted\nnodes to compile: 1\n');
  const noted = await listNotedChanges(world.stores, 10);
  expect(new Set(noted.map(({ kind, user, count }) => `${kind} ${user} ${count}`))).toEqual(
    new Set(['groups command line 1']),
  );
  expect(noted.map(({ summary }) => summary).toSorted()).toEqual([
    'node group changed: Web',
    'node group created: Web',
    'node group deleted: Web',
  ]);
});

it('previews which nodes a change affects, and changes nothing', async () => {
  await createWeb();
  await classifyNode('b', { classes: [], parameters: {}, environment: null }, world.stores);
  const before = await run('list', '--format', 'json');
  expect(await run('preview', 'Web', '--rule', '["~", "name", "."]', '--class', 'web={"tls": true}')).toBe(
    'a\n  class web tls: not set -> true\n' +
      'b (classified by the operator: its catalog stays as it is)\n  + group Web\n' +
      '  environment: not set -> "production"\n  class web: not set -> "declared"\n' +
      '  class web port: not set -> 8080\n  class web tls: not set -> true\n  variable zone: not set -> "a"\n' +
      'nodes that would change: 2\n',
  );
  const changes = await run('preview', 'New', '--rule', RULE, '--parent', 'Web', '--class', 'ntp', '--format', 'json');
  expect(JSON.parse(changes)).toEqual([
    { certname: 'a', isPushed: false, joins: ['New'], leaves: [], values: [{ name: 'class ntp', after: 'declared' }] },
  ]);
  expect(await run('preview', 'Web', '--description', 'x')).toBe('nodes that would change: 0\n');
  expect(await run('list', '--format', 'json')).toBe(before);
});

it('pins nodes', async () => {
  await run('create', 'Pinned', '--class', 'ntp');
  expect(await run('pin', 'Pinned', 'b', 'c')).toBe('Pinned changed\nnodes to compile: 1\n');
  expect(await run('pin', 'Pinned', 'b')).toBe('Pinned unchanged\n');
  expect(JSON.parse(await run('show', 'Pinned', '--format', 'json'))).toMatchObject({ nodes: ['b'] });
  expect(await run('unpin', 'Pinned', 'b', 'c')).toBe('Pinned changed\nnodes to compile: 1\n');
});

it('explains what classifies a node', async () => {
  await createWeb();
  expect(await run('explain', 'a')).toBe(
    'a is classified by: node groups\nenvironment: production\nclass web {"port":8080}\nvariable zone = "a"\n' +
      'groups:\n  * Web: ["=",["fact","tier"],"web"]\n    All Nodes: ["~","name",".*"]\n',
  );
  expect(await run('explain', 'b')).toContain('b is classified by: agent\nenvironment: that of the agent\n');
  await classifyNode('a', { classes: ['ntp'], parameters: {}, environment: 'test' }, world.stores);
  expect(await run('explain', 'a')).toContain('a is classified by: pushed\nenvironment: test\nclass ntp\n');
  await classifyNode('a', null, world.stores);
  await run('create', 'Other', '--rule', RULE, '--variable', 'zone=b');
  expect(await run('explain', 'a')).toContain('conflict: variable zone: "b" from \'Other\', "a" from \'Web\'\n');
  expect(JSON.parse(await run('explain', 'a', '--format', 'json'))).toMatchObject({
    source: 'node groups',
    explanation: { conflicts: { variables: { zone: [{ value: 'b' }, { value: 'a' }] } } },
  });
});

it('imports what it listed, and reads groups from files', async () => {
  await createWeb();
  const file = join(folder, 'groups.json');
  writeFileSync(file, await run('list', '--format', 'json'));
  await run('delete', 'Web');
  expect(await run('import', file)).toBe('2 groups imported\nnodes to compile: 1\n');
  const yaml = join(folder, 'group.yaml');
  writeFileSync(yaml, 'description: from a file\nclasses:\n  ntp: {}\nvariables:\n  zone: c\n');
  await run('edit', 'Web', '--file', yaml);
  expect(JSON.parse(await run('show', 'Web', '--format', 'json'))).toMatchObject({
    description: 'from a file',
    classes: { web: { port: 8080 }, ntp: {} },
    variables: { zone: 'c' },
  });
});

it.each<[readonly string[], string]>([
  [['show', 'Nope'], "there is no group 'Nope'"],
  [['edit', 'All Nodes', '--rule', 'x'], "--rule: 'x' is not JSON: Unexpected token 'x', \"x\" is not valid JSON"],
  [['edit', 'All Nodes', '--rule', '["or"]'], 'The rule is invalid: \'or\' needs at least one condition, not ["or"]'],
  [['edit', 'All Nodes', '--serial-number', '9'], "The group 'All Nodes' has changed: its serial number is 1, not 9"],
  [['create', 'X', '--class', 'nope'], 'The class nope does not exist in the environment production'],
  [
    ['create', 'X', '--class', 'web={"a": 1}'],
    'The class parameter web a does not exist in the environment production',
  ],
  [
    ['create', 'X', '--class', 'web=1'],
    "The group is invalid: 'classes' must be an object of classes, each with an object of parameters",
  ],
  [['delete', 'All Nodes'], 'The root group cannot be deleted'],
  [['explain', 'nowhere'], "there is no node 'nowhere'"],
])('%j is an error', async (args, message) => {
  await expect(run(...args)).rejects.toThrow(message);
});

it('asks for the id where groups of several environments have a name', async () => {
  await run('create', 'Twice');
  await run('create', 'Twice', '--environment', 'test');
  await expect(run('show', 'Twice')).rejects.toThrow(
    /^several groups are called 'Twice': give one of [0-9a-f-]{13} \((production|test)\), [0-9a-f-]{13} \((production|test)\)$/,
  );
  expect(await run('show', ROOT_ID)).toContain('Group:          All Nodes\n');
  const stores = openEmbeddedStores(join(folder, 'data'));
  expect((await stores.groups.get())?.revision).toBe(2);
  stores.close();
});
