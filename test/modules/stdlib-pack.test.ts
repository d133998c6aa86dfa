/**
 * What stdlib's functions give as they are written here, and as the module has them in Ruby: the
 * same, call by call.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFacts } from '../../shared/cli/commands/node-files.ts';
import { ParseCache } from '../../shared/puppet/compiler/manifest-parser.ts';
import type { Environment } from '../../shared/puppet/environment/environment.ts';
import { findStdlibFunction, functionsOfEdition } from '../../shared/puppet/functions/stdlib/pack.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { formatValue } from '../../shared/puppet/types/format/string-converter.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { Sensitive, type Value } from '../../shared/puppet/types/values/values.ts';
import { RecordedAnswers } from '../helpers/recorded-answers.ts';
import { moduleSources, rubySources, sourcesOf } from '../helpers/reference-sources.ts';
import { compileCode } from './compile-code.ts';
import { openForRuby } from './function-files.ts';
import { hasModules, installedModules, writeControlRepo } from './installed-modules.ts';
import { callsOf } from './stdlib-calls.ts';

const facts = readFacts(join(import.meta.dirname, 'facts.json')).merge(
  PuppetHash.of([
    ['interfaces', 'lo,eth0'],
    ['ipaddress_lo', '127.0.0.1'],
    ['network_lo', '127.0.0.0'],
  ]),
);

/** What the calls find in the catalog. */
const BEFORE = `
  package { 'a': ensure => 'present' } file { '/f': mode => '0644' }
  define counted($by = 1) { notify { "\${title} by \${by}": message => type($title) } }
  counted { '6': by => 2 }
`;

/** The functions of stdlib 8, which the packaged module has. The time passes between two calls. */
const CALLED = [...functionsOfEdition('8').keys()].filter((name) => name !== 'time');

/** A kind of calls that give something else here. */
interface Difference {
  /** Of which functions; of all if there are none. */
  readonly functions: readonly string[];
  /** What the module's Ruby makes of the call, as JSON. */
  readonly real: RegExp;
  readonly reason: string;
  /** How many of the calls. */
  readonly calls: number;
}

/** What differs, and why; the first that fits counts. */
const DIFFERENT: readonly Difference[] = [
  {
    functions: ['parsehocon'],
    real: /cannot load such file -- hocon/,
    reason: 'the hocon library is no part of the Ruby of modules',
    calls: 10,
  },
];

/** One call, as written here and in Ruby. */
interface Compared {
  readonly name: string;
  readonly call: string;
  readonly ours: unknown;
  readonly real: unknown;
}

/** Where Ruby keeps an object, and where the modules are, is another place each time. */
function withoutPlaces(outcome: unknown, folder: string): unknown {
  return JSON.parse(
    JSON.stringify(outcome)
      .replaceAll(/:0x[\da-f]{8}\b/g, ':0x…')
      .replaceAll(folder, '/repo'),
  );
}

function differenceOf({ name, ours, real }: Compared): Difference | undefined {
  const text = JSON.stringify(real);
  if (JSON.stringify(ours) === text) return undefined;
  return DIFFERENT.find((one) => (one.functions.length === 0 || one.functions.includes(name)) && one.real.test(text));
}

describe.skipIf(!hasModules())('the functions of stdlib that are written here', () => {
  const ruby = createWasmRuby({ rendersAll: true });
  const parseCache = new ParseCache();
  let answers: RecordedAnswers;
  let repo: string;
  let packed: Environment;
  let unpacked: Environment;
  let compared: readonly Compared[];

  beforeAll(() => {
    repo = mkdtempSync(join(tmpdir(), 'understudy-pack-'));
    writeControlRepo(repo, new Map());
    packed = openForRuby(repo);
    unpacked = openForRuby(repo, 'stdlib written in Ruby');
    answers = new RecordedAnswers({
      name: 'stdlib-pack',
      test: import.meta.filename,
      sources: () => ({
        ...rubySources(),
        ...moduleSources(installedModules()),
        ...sourcesOf(import.meta.dirname, ['facts.json']),
      }),
    });
    compared = CALLED.flatMap((name) => callsOf(name).map((args) => compare(name, `${name}(${args.join(', ')})`)));
  });

  afterAll(() => {
    ruby.close();
    rmSync(repo, { recursive: true, force: true });
    answers.finish();
  });

  function compare(name: string, call: string): Compared {
    const ask = () => withoutPlaces(outcome(call, unpacked), repo);
    const one = {
      name,
      call,
      ours: withoutPlaces(outcome(call, packed), repo),
      real: answers.get([BEFORE, call], ask),
    };
    const isSame = JSON.stringify(one.ours) === JSON.stringify(one.real);
    if (!isSame && differenceOf(one) === undefined) answers.confirm([BEFORE, call], ask);
    return one;
  }

  /**
   * What a call in a manifest leads to: its value and the catalog, or the error; and what was
   * logged.
   */
  function outcome(call: string, environment: Environment, by = ruby): unknown {
    const result = compileCode({
      facts,
      environment,
      clock: () => 1_700_000_000_000_000_000n,
      parseCache,
      code: `${BEFORE}\n$r = ${call}\n$r`,
      ruby: by,
    });
    // What of a resource stdlib only says when debugging is not said here.
    const said = result.log.filter(({ level }) => level !== 'debug');
    const log = said.map(({ level, message }) => `${level}: ${message}`);
    if (result.status === 'failed') return { error: result.error.message, log };
    return { value: described(result.lastValue ?? null), catalog: result.catalog, log };
  }

  it('stand for the text of the module, and for no other', () => {
    expect(CALLED.filter((name) => findStdlibFunction(packed, name) === null)).toEqual([]);
    expect(CALLED.filter((name) => findStdlibFunction(unpacked, name) !== null)).toEqual([]);
  });

  it.each(CALLED)('%s', (name) => {
    const same = compared.filter((one) => one.name === name && !differenceOf(one));
    expect(same.length).toBeGreaterThan(0);
    expect(same.map(({ call, ours }) => [call, ours])).toEqual(same.map(({ call, real }) => [call, real]));
  });

  it.each([['fqdn_rand_string', 'fqdn_rand_string(99999999999)']])(
    '%s ends by the limits of Ruby: %s',
    (name, call) => {
      const hurried = createWasmRuby({ timeLimitMs: 300 });
      try {
        expect(outcome(call, packed, hurried)).toMatchObject({
          error: expect.stringMatching(
            `Ruby was stopped in ${name}: it (?:took more than 300 milliseconds|.*memory)|failed to allocate memory|array size too big`,
          ),
        });
      } finally {
        hurried.close();
      }
    },
  );

  it('differ where it is said, and nowhere else', () => {
    const counts = new Map(DIFFERENT.map(({ reason }) => [reason, 0]));
    for (const one of compared) {
      const reason = differenceOf(one)?.reason;
      if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    expect([...counts]).toEqual(DIFFERENT.map(({ reason, calls }) => [reason, calls]));
    expect(compared.length).toBeGreaterThan(900);
  });
});

/** Values with their types, to the last: what a Sensitive holds as well. */
function described(value: Value): unknown {
  if (Array.isArray(value)) return value.map(described);
  if (value instanceof PuppetHash)
    return { hash: Array.from(value, ([key, item]) => [described(key), described(item)]) };
  return value instanceof Sensitive ? { sensitive: described(value.unwrap()) } : formatValue(value, '%p');
}
