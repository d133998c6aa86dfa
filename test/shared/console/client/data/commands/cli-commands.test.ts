import { execFileSync } from 'node:child_process';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { createProgram } from '../../../../../../functions/program.ts';
import * as commands from '../../../../../../shared/console/client/data/commands/cli-commands.ts';
import { printShellWords } from '../../../../../../shared/console/client/data/commands/shell-words.ts';
import type { GroupSummary } from '../../../../../../shared/console/client/data/group-shapes.ts';
import { startJobForm } from '../../../../../../shared/console/client/data/job-draft.ts';

interface ReadCommand {
  readonly path: string;
  readonly operands: readonly unknown[];
  /** The options that are not as they are by default. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Reads a command line by the program itself, which then runs nothing. Throws for a wrong one. */
async function readCommandLine(words: readonly string[]): Promise<ReadCommand> {
  const found: ReadCommand[] = [];
  const program = createProgram();
  const watch = (command: Command, path: readonly string[]): void => {
    command.exitOverride().configureOutput({ writeErr: () => {} });
    for (const one of command.commands) watch(one, [...path, one.name()]);
    if (command.commands.length > 0) return;
    command.action(() => {
      const given = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli');
      found.push({ path: path.join(' '), operands: command.args, options: Object.fromEntries(given) });
    });
  };
  watch(program, []);
  await program.parseAsync(['node', ...words]);
  const [only] = found;
  if (only === undefined) throw new Error(`no command ran: ${words.join(' ')}`);
  return only;
}

/** The words that a shell makes of a line. */
function readByShell(line: string): readonly string[] {
  return execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}

const form = (changes: object) => ({ ...startJobForm(new URLSearchParams()), environment: 'dev', ...changes });
const GROUP: GroupSummary = {
  ...{ id: 'g', name: 'Web', parent: 'p', environment: 'production', environment_trumps: false },
  ...{ rule: ['=', 'name', 'a'], classes: { apache: { port: 80 }, ntp: {} }, variables: { tier: 'gold', site: 'x' } },
};
const { id: _, ...BODY } = { ...GROUP, description: '', config_data: {} };
const NASTY = 'a\'b $(id) `id` "c" \\ \n*';
const CODE = `3f7a9c2e5b8d1${'0'.repeat(51)}`;

const ROWS: readonly (readonly [keyof typeof commands, commands.CommandWords | null, ReadCommand])[] = [
  [
    'jobCommand',
    commands.jobCommand(form({ nodes: 'web01\nweb02', isNoop: true, concurrency: '5', description: NASTY }), {}),
    {
      ...{ path: 'job run', operands: [] },
      options: { nodes: 'web01,web02', environment: 'dev', noop: true, concurrency: 5, description: NASTY },
    },
  ],
  [
    'jobCommand',
    commands.jobCommand(form({ target: 'query', query: ' nodes[certname] { certname ~ "web" } ' }), {}),
    { path: 'job run', operands: [], options: { query: 'nodes[certname] { certname ~ "web" }', environment: 'dev' } },
  ],
  [
    'jobCommand',
    commands.jobCommand(form({ command: 'task', task: 'service', target: 'group', group: 'g-1' }), { name: NASTY }),
    {
      ...{ path: 'task run', operands: ['service'] },
      options: { params: JSON.stringify({ name: NASTY }), nodeGroup: 'g-1', environment: 'dev' },
    },
  ],
  [
    'jobCommand',
    commands.jobCommand(form({ command: 'plan', plan: 'app::release', description: '-x' }), { n: 1 }),
    {
      ...{ path: 'plan run', operands: ['app::release'] },
      options: { params: '{"n":1}', environment: 'dev', description: '-x' },
    },
  ],
  [
    'stopJobCommand',
    commands.stopJobCommand('job', '58', true),
    { path: 'job stop', operands: ['58'], options: { force: true } },
  ],
  ['stopJobCommand', commands.stopJobCommand('plan', '61'), { path: 'plan stop', operands: ['61'], options: {} }],
  [
    'deployCommand',
    commands.deployCommand('dev', '5%'),
    { path: 'code deploy', operands: ['.'], options: { environment: ['dev'], canary: '5%' } },
  ],
  [
    'rollBackCommand',
    commands.rollBackCommand('dev', CODE),
    { path: 'code rollback', operands: ['dev'], options: { to: '3f7a9c2e5b8d' } },
  ],
  [
    'dryRunCommand',
    commands.dryRunCommand('production', 'feature_x'),
    { path: 'code dry-run', operands: ['production'], options: { codeOf: 'feature_x' } },
  ],
  [
    'endStageCommand',
    commands.endStageCommand('dev', 'promote'),
    { path: 'code stage promote', operands: ['dev'], options: {} },
  ],
  [
    'endStageCommand',
    commands.endStageCommand('dev', 'abort'),
    { path: 'code stage abort', operands: ['dev'], options: {} },
  ],
  [
    'addSourceCommand',
    commands.addSourceCommand('main', 'git@example.com:x/y.git', 'team'),
    { path: 'code sources add', operands: ['main'], options: { git: 'git@example.com:x/y.git', prefix: 'team' } },
  ],
  [
    'sourceCommand',
    commands.sourceCommand('main', 'sync'),
    { path: 'code sources sync', operands: ['main'], options: {} },
  ],
  [
    'sourceCommand',
    commands.sourceCommand('main', 'remove'),
    { path: 'code sources remove', operands: ['main'], options: {} },
  ],
  [
    'rotateValueCommand',
    commands.rotateValueCommand('dev', 'postgres::password/db01'),
    { path: 'code values rotate', operands: ['dev', 'postgres::password/db01'], options: {} },
  ],
  [
    'signCommand',
    commands.signCommand(['web01', NASTY], { hasOtherNames: true, hasExtensions: true }),
    {
      ...{ path: 'ca sign', operands: ['web01', NASTY] },
      options: { allowSubjectAltNames: true, allowAuthorizationExtensions: true },
    },
  ],
  [
    'certificateCommand',
    commands.certificateCommand('clean', 'web01'),
    { path: 'ca clean', operands: ['web01'], options: {} },
  ],
  [
    'certificateCommand',
    commands.certificateCommand('revoke', '--all'),
    { path: 'ca revoke', operands: ['--all'], options: {} },
  ],
  ['purgeCommand', commands.purgeCommand('web01'), { path: 'node purge', operands: ['web01'], options: {} }],
  [
    'redriveCommand',
    commands.redriveCommand('compile', 'a-1'),
    { path: 'dead-letters redrive', operands: [], options: { queue: 'compile', id: 'a-1' } },
  ],
  ['redriveCommand', commands.redriveCommand(null, null), { path: 'dead-letters redrive', operands: [], options: {} }],
  [
    'createUserCommand',
    commands.createUserCommand({
      login: 'bob',
      email: 'b@x.test',
      name: "Bob O'Neil",
      roles: ['Operators', 'My role'],
    }),
    {
      ...{ path: 'access user create', operands: ['bob'] },
      options: { email: 'b@x.test', displayName: "Bob O'Neil", role: ['Operators', 'My role'] },
    },
  ],
  [
    'userCommand',
    commands.userCommand('revoke', 'bob'),
    { path: 'access user revoke', operands: ['bob'], options: {} },
  ],
  [
    'userCommand',
    commands.userCommand('reinstate', 'bob'),
    { path: 'access user reinstate', operands: ['bob'], options: {} },
  ],
  [
    'createTokenCommand',
    commands.createTokenCommand('bob', '90d', 'ci'),
    { path: 'access token create', operands: ['bob'], options: { lifetime: '90d', label: 'ci' } },
  ],
  [
    'saveGroupCommand',
    commands.saveGroupCommand(null, { ...BODY, environment_trumps: true, description: NASTY }),
    {
      ...{ path: 'group create', operands: ['Web'] },
      options: {
        ...{ parent: 'p', description: NASTY, environment: 'production', trumps: true, rule: '["=","name","a"]' },
        ...{ class: ['apache={"port":80}', 'ntp={}'], variable: ['tier="gold"', 'site="x"'] },
      },
    },
  ],
  [
    'saveGroupCommand',
    commands.saveGroupCommand(GROUP, {
      ...BODY,
      name: 'Front',
      rule: null,
      classes: { apache: {} },
      variables: { site: 1 },
    }),
    {
      ...{ path: 'group edit', operands: ['Web'] },
      options: {
        ...{ name: 'Front', rule: 'null', class: ['apache={"port":null}'], removeClass: ['ntp'] },
        ...{ variable: ['site=1'], removeVariable: ['tier'] },
      },
    },
  ],
  [
    'deleteGroupCommand',
    commands.deleteGroupCommand('My web'),
    { path: 'group delete', operands: ['My web'], options: {} },
  ],
];

it.each(ROWS)('%s is read by the program as it is meant: %j', async (_, words, meant) => {
  expect(await readCommandLine(words ?? [])).toEqual(meant);
});

it.each(ROWS)('%s is read by a shell as it is meant: %j', (_, words) => {
  expect(readByShell(printShellWords(words ?? []))).toEqual(words);
});

it('has a row for each command', () => {
  expect([...new Set(ROWS.map(([name]) => name))].toSorted()).toEqual(Object.keys(commands).toSorted());
});

it('refuses an option that no command has', async () => {
  await expect(readCommandLine(['understudy', 'job', 'run', '--made-up'])).rejects.toThrow('unknown option');
});

it.each([
  ['a job of later', commands.jobCommand(form({ nodes: 'a', isLater: true }), {})],
  ['a run of an environment', commands.jobCommand(form({ target: 'environment' }), {})],
  ['a job without nodes', commands.jobCommand(form({}), {})],
  ['a task without a name', commands.jobCommand(form({ command: 'task', nodes: 'a' }), {})],
  ['other configuration data', commands.saveGroupCommand(GROUP, { ...BODY, config_data: { ntp: { a: 1 } } })],
])('has no command for %s', (_, words) => {
  expect(words).toBeNull();
});
