import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../../../../shared/cli/commands/compile-command.ts';
import { type LookupCommand, lookupNode } from '../../../../shared/cli/commands/lookup-command.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { hasPuppet } from '../../../helpers/puppet.ts';
import { RecordedAnswers } from '../../../helpers/recorded-answers.ts';
import { puppetSources, sourcesOf, treeDigest } from '../../../helpers/reference-sources.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures');
const SCRIPT = join(FIXTURES, 'lookup/puppet-lookup.rb');

const LOUD = "debug('d') info('i') notice('n') warning('w') err('e') alert('a')";

/** One for all lookups: each of them begins a compile. */
const ruby = createWasmRuby();
afterAll(() => ruby.close());

type Situation = Partial<LookupCommand> & Pick<LookupCommand, 'keys'>;

interface Answer {
  readonly output?: string;
  readonly error?: string;
  readonly exitCode: number;
}

interface Recording {
  readonly version: string;
  readonly answers: readonly Answer[];
}

function lookUp(repo: string, situation: Situation): CommandResult {
  return lookupNode({
    node: 'n.example.com',
    controlRepo: repo,
    environment: 'production',
    facts: join(repo, 'facts.json'),
    sortMergedArrays: false,
    mergeHashArrays: false,
    explain: false,
    explainOptions: false,
    compile: false,
    ...situation,
  });
}

function ask(repo: string, situation: Situation): Answer {
  ruby.beginCompile(repo);
  return answerOf(repo, { ruby, ...situation });
}

function answerOf(repo: string, situation: Situation): Answer {
  const { output, log, exitCode } = lookUp(repo, situation);
  const [, error] = /^Error: Could not run: (.*)$/s.exec(log.at(-1) ?? '') ?? [];
  return error === undefined ? { output: output.replaceAll(repo, '/repo'), exitCode } : { error, exitCode };
}

/** Whether the installed Puppet can decrypt. Where CI says so, it must. */
function hasEyaml(): boolean {
  return process.env.CI === 'true' || spawnSync('ruby', ['-r', 'hiera/backend/eyaml', '-e', '']).status === 0;
}

/**
 * `lookup` has the texts of all explanations; `lookup-backends` every kind of data provider in one
 * hierarchy.
 */
describe.each([
  ['lookup', true],
  ['lookup-backends', hasEyaml()],
])('understudy lookup in %s', (name, hasLibraries) => {
  const repo = join(FIXTURES, name);
  const situations: readonly Situation[] = JSON.parse(readFileSync(join(repo, 'situations.json'), 'utf8'));
  const recorded: Recording = JSON.parse(readFileSync(join(repo, 'recorded.json'), 'utf8'));

  it.each(situations.map((situation, index) => [JSON.stringify(situation), situation, index] as const))(
    'prints what puppet lookup prints for %s',
    (_, situation, index) => {
      expect(ask(repo, situation)).toEqual(recorded.answers[index]);
    },
  );

  it.skipIf(!hasPuppet() || !hasLibraries)('is compared with what the installed Puppet prints', () => {
    const answers = new RecordedAnswers({
      name: `puppet-${name}`,
      test: import.meta.filename,
      sources: () => ({ ...puppetSources(), ...sourcesOf(FIXTURES, ['lookup/puppet-lookup.rb']) }),
    });
    const now: Recording = answers.get(treeDigest(repo, /^(?!recorded\.json)/), () => {
      const text = execFileSync('ruby', [SCRIPT, join(repo, 'situations.json'), repo], { encoding: 'utf8' });
      return JSON.parse(text.replaceAll(repo, '/repo'));
    });
    answers.finish();
    expect(now.answers).toEqual(recorded.answers);
  });
});

describe('understudy lookup', () => {
  it('starts a Ruby where none is given', () => {
    const repo = join(FIXTURES, 'lookup');
    expect(answerOf(repo, { keys: ['rb::one'] })).toEqual(ask(repo, { keys: ['rb::one'] }));
  });

  it.each([
    [{ keys: [] }, 'No keys were given to lookup.'],
    [{ keys: ['x'], merge: 'odd' }, "The --merge option only accepts 'first', 'hash', 'unique', or 'deep'"],
    [
      { keys: ['x'], merge: 'hash', sortMergedArrays: true },
      "The options --knock-out-prefix, --sort-merged-arrays, and --merge-hash-arrays are only available with '--merge deep'",
    ],
  ])('refuses %j', (situation, message) => {
    expect(() => ask(join(FIXTURES, 'lookup'), situation)).toThrow(message);
  });

  it.each([
    [{ clientcert: 'web01.example.com' }, 'web01.example.com web01 example.com local'],
    [{ clientcert: 'web01' }, 'web01 web01  local'],
    [{}, '   local'],
  ])('trusts the node that the facts %j name, as puppet lookup does', (facts, shown) => {
    const repo = mkdtempSync(join(tmpdir(), 'understudy-lookup-'));
    const environment = join(repo, 'environments', 'production');
    mkdirSync(join(environment, 'data'), { recursive: true });
    writeFileSync(join(environment, 'hiera.yaml'), 'version: 5\nhierarchy:\n  - { name: all, path: all.yaml }\n');
    const names = ['certname', 'hostname', 'domain', 'authenticated'].map((name) => `%{trusted.${name}}`);
    writeFileSync(join(environment, 'data', 'all.yaml'), `shown: "${names.join(' ')}"\n`);
    writeFileSync(join(repo, 'facts.json'), JSON.stringify(facts));
    expect(ask(repo, { keys: ['shown'], renderAs: 's' })).toEqual({ output: `${shown}\n`, exitCode: 0 });
    rmSync(repo, { recursive: true });
  });

  it('takes facts without a value for empty texts, as puppet lookup does', () => {
    const repo = mkdtempSync(join(tmpdir(), 'understudy-lookup-'));
    const environment = join(repo, 'environments', 'production');
    mkdirSync(join(environment, 'data'), { recursive: true });
    writeFileSync(join(environment, 'hiera.yaml'), 'version: 5\nhierarchy:\n  - { name: all, path: all.yaml }\n');
    writeFileSync(join(environment, 'data', 'all.yaml'), 'shown: "%{none}"\n');
    writeFileSync(join(repo, 'facts.json'), JSON.stringify({ none: null, list: [null] }));
    const { output = '' } = ask(repo, { keys: ['shown'], explain: true });
    expect(output).toContain('Found key: "none" value: ""');
    rmSync(repo, { recursive: true });
  });

  const LEVELS = ['Debug', 'Info', 'Notice', 'Warning', 'Error', 'Alert'];
  it.each<[string, Partial<LookupCommand>, readonly string[]]>([
    ['by default', {}, LEVELS.slice(2)],
    ['with --verbose', { verbose: true }, LEVELS.slice(1)],
    ['with --debug', { debug: true, verbose: true }, LEVELS],
    ['of a lookup without a value', { keys: ['nowhere'] }, LEVELS.slice(2)],
    ['of an explanation', { explain: true }, LEVELS.slice(2)],
  ])('logs %s what puppet logs', (_, change, levels) => {
    const repo = mkdtempSync(join(tmpdir(), 'understudy-lookup-'));
    const environment = join(repo, 'environments', 'production');
    mkdirSync(join(environment, 'manifests'), { recursive: true });
    mkdirSync(join(environment, 'data'));
    writeFileSync(join(environment, 'manifests', 'site.pp'), LOUD);
    writeFileSync(join(environment, 'hiera.yaml'), 'version: 5\nhierarchy:\n  - { name: all, path: all.yaml }\n');
    writeFileSync(join(environment, 'data', 'all.yaml'), 'shown: 1\n');
    writeFileSync(join(repo, 'facts.json'), '{}');
    const { log } = lookUp(repo, { keys: ['shown'], compile: true, ...change });
    expect(log).toEqual(levels.map((level) => `${level}: Scope(Class[main]): ${level[0]?.toLowerCase()}`));
    rmSync(repo, { recursive: true });
  });

  it('looks up with the environment and variables of a classifier, and its classes with a compile', () => {
    const repo = mkdtempSync(join(tmpdir(), 'understudy-lookup-'));
    const staging = join(repo, 'environments', 'staging');
    for (const folder of ['manifests', 'data']) mkdirSync(join(staging, folder), { recursive: true });
    const hierarchy = [
      { name: 'class', path: '%{web::level}.yaml' },
      { name: 'zone', path: '%{zone}.yaml' },
    ];
    writeFileSync(join(staging, 'hiera.yaml'), JSON.stringify({ version: 5, hierarchy }));
    writeFileSync(join(staging, 'manifests', 'site.pp'), 'class web { $level = "high" }');
    writeFileSync(join(staging, 'data', 'a.yaml'), 'shown: by zone');
    writeFileSync(join(staging, 'data', 'high.yaml'), 'shown: by class');
    writeFileSync(join(repo, 'facts.json'), '{}');
    const classification = { environment: 'staging', classes: ['web'], parameters: { zone: 'a' } };
    const find = (compile: boolean) => lookUp(repo, { keys: ['shown'], classification, compile, renderAs: 's' }).output;
    expect([find(false), find(true)]).toEqual(['by zone\n', 'by class\n']);
    rmSync(repo, { recursive: true });
  });

  it('logs what was logged before a failure, from notices up, and the failure', () => {
    const repo = mkdtempSync(join(tmpdir(), 'understudy-lookup-'));
    const manifests = join(repo, 'environments', 'production', 'manifests');
    mkdirSync(manifests, { recursive: true });
    writeFileSync(join(manifests, 'site.pp'), "debug('d') notice('n') fail('no way')");
    writeFileSync(join(repo, 'facts.json'), '{}');
    const { log, exitCode } = lookUp(repo, { keys: ['shown'], compile: true });
    expect(log.map((line) => line.replaceAll(repo, '/repo'))).toEqual([
      'Notice: Scope(Class[main]): n',
      'Error: Could not run: Evaluation Error: Error while evaluating a Function Call, no way (file: /repo/environments/production/manifests/site.pp, line: 1, column: 24)',
    ]);
    expect(exitCode).toBe(1);
    rmSync(repo, { recursive: true });
  });
});
