/**
 * What functions of packaged modules give that run without Ruby, and what they give in Ruby: the
 * same, call by call.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readFacts } from '../../shared/cli/commands/node-files.ts';
import { ParseCache } from '../../shared/puppet/compiler/manifest-parser.ts';
import type { Environment } from '../../shared/puppet/environment/environment.ts';
import { callbacksOutside } from '../../shared/puppet/ruby/callbacks.ts';
import { NativeFunctions } from '../../shared/puppet/ruby/native/native-functions.ts';
import { NativeWork } from '../../shared/puppet/ruby/native/native-work.ts';
import { CachedProgram } from '../../shared/puppet/ruby/native/program-cache.ts';
import { readRuby } from '../../shared/puppet/ruby/ruby-sources.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { formatValue } from '../../shared/puppet/types/format/string-converter.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { Sensitive, type Value } from '../../shared/puppet/types/values/values.ts';
import { RecordedAnswers } from '../helpers/recorded-answers.ts';
import { moduleSources, rubySources, sourcesOf } from '../helpers/reference-sources.ts';
import { renderHere } from './both-renderings.ts';
import { compileCode } from './compile-code.ts';
import { TYPICAL_CALLS } from './function-calls.ts';
import { argumentsFor, type FunctionFile, filesBelow, openForRuby } from './function-files.ts';
import { hasModules, installedModules, writeControlRepo } from './installed-modules.ts';
import { puppetAnswers, renderedWithPuppet } from './puppet-answers.ts';

/**
 * Which functions need no Ruby, and for how many of their calls. Lines are only ever added, numbers
 * only ever grow.
 */
const BASELINE = join(import.meta.dirname, 'native-functions.ours.txt');

const facts = readFacts(join(import.meta.dirname, 'facts.json')).merge(
  PuppetHash.of([
    ['interfaces', 'lo,eth0'],
    ['ipaddress_lo', '127.0.0.1'],
    ['ipaddress_eth0', '192.0.2.10'],
    ['memorysize', '7.68 GiB'],
  ]),
);

const BEFORE = `
  package { 'a': ensure => 'present' } file { '/f': mode => '0644' } File { mode => '0600' }
`;

/** Functions that give another thing each time. */
const OF_CHANCE: ReadonlySet<string> = new Set(['str2saltedsha512']);

describe.skipIf(!hasModules())('functions of packaged modules in Ruby', () => {
  const [here, judge] = [createWasmRuby(), createWasmRuby({ rendersAll: true })];
  const native = new NativeFunctions(new NativeWork(() => false));
  const parseCache = new ParseCache();
  let ofRuby: RecordedAnswers;
  let ofPuppet: RecordedAnswers;
  let repo: string;
  let environment: Environment;
  let ofStdlib: Environment;
  let files: readonly FunctionFile[];

  beforeAll(() => {
    repo = mkdtempSync(join(tmpdir(), 'understudy-functions-'));
    writeControlRepo(repo, new Map());
    const modules = join(repo, 'environments', 'production', 'modules');
    environment = openForRuby(repo);
    ofStdlib = openForRuby(repo, 'stdlib written in Ruby');
    files = filesBelow(modules);
    const test = import.meta.filename;
    const common = () => ({ ...moduleSources(installedModules()), ...sourcesOf(import.meta.dirname, ['facts.json']) });
    ofRuby = new RecordedAnswers({
      name: 'module-functions',
      test,
      sources: () => ({ ...rubySources(), ...common() }),
    });
    ofPuppet = puppetAnswers('module-functions-puppet', test, 'compile-codes.rb');
  });

  afterAll(() => {
    here.close();
    judge.close();
    rmSync(repo, { recursive: true, force: true });
    vi.restoreAllMocks();
    for (const answers of [ofRuby, ofPuppet]) answers.finish();
  });

  const isNative = ({ name, path, isLegacy }: FunctionFile): boolean => {
    const source = readRuby(environment, path);
    return (isLegacy ? native.describeLegacy(name, source) : native.describe(name, source)) !== null;
  };

  it('are described as Ruby describes them', () => {
    const callbacks = callbacksOutside(environment);
    const both = files.filter(isNative).map(({ name, path, isLegacy }) => {
      const source = readRuby(environment, path);
      const by = (ruby: typeof judge) =>
        comparable(
          isLegacy
            ? ruby.describeLegacyFunction(name, source, callbacks)
            : ruby.describeFunction(name, source, callbacks),
        );
      const input = ['describe', relative(repo, path), isLegacy];
      const [ours, theirs] = [by(here), ofRuby.get(input, () => by(judge))];
      if (!isDeepStrictEqual(ours, theirs)) ofRuby.confirm(input, () => by(judge));
      return [ours, theirs] as const;
    });
    expect(both.map(([ours]) => ours)).toEqual(both.map(([, theirs]) => theirs));
    expect(both.length / files.length).toBeGreaterThan(0.7);
  });

  it('give and do the same without Ruby', () => {
    // None is given up because it was tried in vain.
    vi.spyOn(CachedProgram.prototype, 'count').mockReturnValue();
    const calls = [vi.spyOn(NativeFunctions.prototype, 'call'), vi.spyOn(NativeFunctions.prototype, 'callLegacy')];
    const counts: string[] = [];
    const differing: object[] = [];
    let [made, without] = [0, 0];
    for (const file of files.filter((one) => isNative(one) && !OF_CHANCE.has(one.name))) {
      let count = 0;
      // Code that an earlier function loaded is not there. Calls of one function follow each other
      // as in a compile, while each recorded answer is that of a fresh Ruby. Some functions say,
      // however, what was loaded before.
      const saysWhatIsLoaded = readRuby(environment, file.path).text.includes('autoloader');
      here.beginCompile('code');
      for (const args of argumentsFor(file.name)) {
        for (const spy of calls) spy.mockClear();
        if (saysWhatIsLoaded) here.beginCompile('code');
        const call = `${file.name}(${args.join(', ')})`;
        const ours = comparable(outcome(call, file, here));
        const results = calls.flatMap((spy) => spy.mock.results.map(({ value }) => value));
        const input = [BEFORE, call, file.isLegacy];
        const ask = () => {
          judge.beginCompile('code');
          return comparable(outcome(call, file, judge));
        };
        const theirs = ofRuby.get(input, ask);
        if (!isDeepStrictEqual(ours, theirs)) {
          ofRuby.confirm(input, ask);
          differing.push({ call, ours, theirs });
        }
        if ('error' in theirs) continue;
        made += 1;
        if (results.length > 0 && results.every((result) => result !== null)) count += 1;
      }
      without += count;
      if (count > 0) counts.push(`${file.name}${file.isLegacy ? ' (3.x)' : ''}: ${count}`);
    }
    expect(differing).toEqual([]);
    if (process.env.UPDATE_FIXTURES === '1') writeFileSync(BASELINE, `${counts.join('\n')}\n`);
    console.log(`${counts.length} of ${files.length} functions need no Ruby, in ${without} of ${made} calls`);
    const now = countsIn(counts);
    const before = countsIn(readFileSync(BASELINE, 'utf8').trim().split('\n'));
    expect([...before].filter(([name, count]) => (now.get(name) ?? 0) < count)).toEqual([]);
  });

  it('give what they give in real Puppet', async () => {
    const renderings = Object.entries(TYPICAL_CALLS).flatMap(([name, calls]) =>
      calls.map((args) => {
        const call = `${name}(${args.join(', ')})`;
        return { name: call, code: `$r = ${call} notify { 'out': message => String($r, '%#p') }` };
      }),
    );
    const real = await renderedWithPuppet(environment.modulepath[0] ?? '', renderings, ofPuppet);
    const given = real.filter(({ error }) => error === undefined).map(({ name }) => name);
    const ours = renderings
      .filter(({ name }) => given.includes(name))
      .map((rendering) => renderHere(rendering, environment, here));
    expect(ours).toEqual(real.filter(({ name }) => given.includes(name)));
    expect(given.length).toBeGreaterThan(80);
  });

  /** As JSON, without the addresses that objects have, and without the folder of this run. */
  function comparable(outcome: object): object {
    return JSON.parse(
      JSON.stringify(outcome)
        .replace(/0x[0-9a-f]{8}/g, '0x')
        .replaceAll(repo, '/repo'),
    );
  }

  /**
   * What a call in a manifest leads to: its value and the catalog, or the error; and what was
   * logged.
   */
  function outcome(call: string, { path }: FunctionFile, ruby: typeof here): object {
    const within = path.includes('/stdlib/') ? ofStdlib : environment;
    const code = `${BEFORE}\n$r = ${call}\n$r`;
    const clock = (): bigint => 1_700_000_000_000_000_000n;
    const result = compileCode({ facts, environment: within, clock, parseCache, code, ruby });
    const log = result.log.map(({ level, message }) => `${level}: ${message}`);
    if (result.status === 'failed') return { error: result.error.message, log };
    return { value: described(result.lastValue ?? null), catalog: result.catalog, log };
  }
});

function countsIn(lines: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    lines.map((line) => {
      const [name = '', count = ''] = line.split(/: (?=\d+$)/);
      return [name, Number(count)];
    }),
  );
}

/** Values with their types, to the last: what a Sensitive holds as well. */
function described(value: Value): unknown {
  if (Array.isArray(value)) return value.map(described);
  if (value instanceof PuppetHash)
    return { hash: Array.from(value, ([key, item]) => [described(key), described(item)]) };
  return value instanceof Sensitive ? { sensitive: described(value.unwrap()) } : formatValue(value, '%p');
}
