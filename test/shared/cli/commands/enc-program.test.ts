import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { addCompileCommand } from '../../../../shared/cli/commands/compile-options.ts';
import {
  DEFAULT_ENC_LIMITS,
  type EncLimits,
  openEncProgram,
  readEncOutput,
} from '../../../../shared/cli/commands/enc-program.ts';
import { allVariables } from '../../../../shared/puppet/environment/operator-variables.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-enc-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

function script(text: string): string {
  count += 1;
  const path = join(folder, `enc-${count}`);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

const ask = (text: string, limits: Partial<EncLimits> = {}) =>
  openEncProgram(script(text), new ManualClock(), { ...DEFAULT_ENC_LIMITS, ...limits }).classify('a.example.com');

describe('the output of an external node classifier', () => {
  it.each<[string, unknown]>([
    ['', null],
    [' \n', null],
    ['---\nclasses: [web, ntp]\n', { classes: ['web', 'ntp'], parameters: {}, environment: null }],
    [
      '---\nclasses:\n  web:\n    port: 80\n  ntp:\nparameters:\n  tier: gold\nenvironment: staging\n',
      { classes: { web: { port: 80 }, ntp: null }, parameters: { tier: 'gold' }, environment: 'staging' },
    ],
    ['---\n:classes:\n  web: {}\n:environment: test\n', { classes: { web: {} }, parameters: {}, environment: 'test' }],
    ['---\nclasses:\nparameters: false\nother: 1\n', { classes: [], parameters: {}, environment: null }],
    [
      '{"classes": {"web": {"list": [1, 2.5, null]}}}',
      { classes: { web: { list: [1, 2.5, null] } }, parameters: {}, environment: null },
    ],
  ])('%j is %j', (text, expected) => {
    expect(readEncOutput('a', text)).toEqual(expected);
  });

  it.each<[string, string]>([
    ['- a\n', 'the output is not a hash'],
    ['web\n', 'the output is not a hash'],
    ['1: 2\n', 'a key is not a string or symbol'],
    ['classes: {web: 1}\n', "the parameters of class 'web' must be a hash"],
    ['environment: a b\n', "the environment must be purely alphanumeric, not 'a b'"],
    ['a: [\n', '(the output): did not find expected node content while parsing a flow node at line 2 column 1'],
  ])('%j is an error', (text, detail) => {
    expect(() => readEncOutput('a', text)).toThrow(`Could not load external node results for a: ${detail}`);
  });
});

describe('an external node classifier', () => {
  it('gets the certname behind its own arguments', async () => {
    const program = script('echo "{parameters: {args: \\"$*\\"}}"');
    const { classify } = openEncProgram(`${program} --one two`, new ManualClock());
    expect(await classify('a.example.com')).toMatchObject({ parameters: { args: '--one two a.example.com' } });
  });

  it('in the form of that of Foreman is read', async () => {
    const yaml = [
      '---',
      'classes:',
      '  apache:',
      '    default_vhost: false',
      '  ntp: null',
      'parameters:',
      '  foreman_subnets: []',
      '  foreman_interfaces:',
      '  - ip: 192.0.2.5',
      '    primary: true',
      '  hostgroup: Base/Web',
      '  ssh_authorized_keys: {}',
      '  root_pw: "$5$abc"',
      'environment: production',
    ].join('\n');
    expect(await ask(`cat <<'END'\n${yaml}\nEND`)).toEqual({
      classes: { apache: { default_vhost: false }, ntp: null },
      parameters: {
        foreman_subnets: [],
        foreman_interfaces: [{ ip: '192.0.2.5', primary: true }],
        hostgroup: 'Base/Web',
        ssh_authorized_keys: {},
        root_pw: '$5$abc',
      },
      environment: 'production',
    });
  });

  it.each<[string, Partial<EncLimits>, string]>([
    [
      'echo "Error retrieving node: Net::HTTPNotFound" >&2; exit 1',
      {},
      'returned 1: Error retrieving node: Net::HTTPNotFound',
    ],
    ['echo out; exit 2', {}, 'returned 2: out'],
    ['sleep 20', { timeMs: 100 }, 'took more than 0.1 seconds'],
    ['yes', { outputBytes: 1000 }, 'printed more than 1000 bytes'],
    ['kill -TERM $$', {}, 'failed (SIGTERM)'],
  ])('%j fails', async (text, limits, why) => {
    await expect(ask(text, limits)).rejects.toThrow(
      new RegExp(
        `^Failed to find a\\.example\\.com via exec: Execution of '/\\S+ a\\.example\\.com' ${why.replace(/[()]/g, '\\$&')}$`,
      ),
    );
  });

  it('is asked once for the requests of a run, and again later or after an error', async () => {
    const log = join(folder, 'log');
    const clock = new ManualClock();
    const program = script(`echo x >> ${log}\n[ -e ${join(folder, 'fails')} ] && exit 1\necho 'classes: [web]'`);
    const { classify } = openEncProgram(program, clock);
    await Promise.all([classify('a'), classify('a')]);
    await classify('a');
    expect(readFileSync(log, 'utf8')).toBe('x\n');
    writeFileSync(join(folder, 'fails'), '');
    clock.time += 10_000;
    await expect(classify('a')).rejects.toThrow('returned 1');
    rmSync(join(folder, 'fails'));
    expect(await classify('a')).toMatchObject({ classes: ['web'] });
    expect(readFileSync(log, 'utf8')).toBe('x\nx\nx\n');
  });

  it.each<[string, string]>([
    ['/nowhere/enc', "the external node classifier '/nowhere/enc' does not exist"],
    ['', "the external node classifier '' does not exist"],
  ])('%j is refused', (command, message) => {
    expect(() => openEncProgram(command, new ManualClock())).toThrow(message);
  });

  it('that is not executable is refused', () => {
    const program = script('');
    chmodSync(program, 0o644);
    expect(() => openEncProgram(program, new ManualClock())).toThrow(
      /^the external node classifier '.*' is not executable$/,
    );
  });
});

it('gives `understudy compile` classes, variables and the environment', async () => {
  const repo = join(folder, 'repo', 'environments', 'staging', 'manifests');
  mkdirSync(repo, { recursive: true });
  writeFileSync(join(repo, 'site.pp'), 'class web($port) { notify { "$port $tier $environment": } }\n');
  const facts = join(folder, 'facts.json');
  writeFileSync(facts, '{"tier": "fact"}');
  const enc = script("echo '{classes: {web: {port: 80}}, parameters: {tier: gold}, environment: staging}'");
  const printed: string[] = [];
  const codes: number[] = [];
  const program = new Command().exitOverride();
  addCompileCommand(program, {
    print: async (text) => void printed.push(text),
    warn: () => {},
    exit: (code) => codes.push(code),
    now: () => 0,
    variables: allVariables(() => ({})),
  });
  const args = ['compile', 'a', '--control-repo', join(folder, 'repo'), '--facts', facts];
  await program.parseAsync([...args, '--enc', enc], { from: 'user' });
  expect(codes).toEqual([0]);
  expect(JSON.parse(printed.join(''))).toMatchObject({ environment: 'staging' });
  expect(printed.join('')).toContain('"80 gold staging"');
  const failing = script('echo broken >&2; exit 1');
  await expect(program.parseAsync([...args, '--enc', failing], { from: 'user' })).rejects.toThrow(
    /returned 1: broken$/,
  );
});
