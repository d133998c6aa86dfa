/**
 * Which methods of Ruby the templates and functions of packaged modules use when they run without
 * Ruby: a method that none of them uses has to say why it is there.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readFacts } from '../../shared/cli/commands/node-files.ts';
import { ParseCache } from '../../shared/puppet/compiler/manifest-parser.ts';
import { MachineryFault } from '../../shared/puppet/errors/machinery-fault.ts';
import { EXCEPTION_METHODS } from '../../shared/puppet/ruby/native/exceptions.ts';
import { ADDRESS_METHODS } from '../../shared/puppet/ruby/native/methods/address-methods.ts';
import { ARRAY_METHODS, findArrayMethod } from '../../shared/puppet/ruby/native/methods/array-methods.ts';
import {
  BOOLEAN_METHODS,
  COMMON,
  findRangeMethod,
  NIL_METHODS,
  RANGE_METHODS,
  SENSITIVE_METHODS,
  SYMBOL_METHODS,
} from '../../shared/puppet/ruby/native/methods/common-methods.ts';
import { ARRAY_CHANGES, HASH_CHANGES } from '../../shared/puppet/ruby/native/methods/container-changes.ts';
import { ENUMERABLE } from '../../shared/puppet/ruby/native/methods/enumerable-methods.ts';
import { findHashMethod, HASH_METHODS } from '../../shared/puppet/ruby/native/methods/hash-methods.ts';
import { KERNEL_METHODS } from '../../shared/puppet/ruby/native/methods/kernel-methods.ts';
import { LIBRARY_METHODS } from '../../shared/puppet/ruby/native/methods/library-methods.ts';
import { FLOAT_METHODS, INTEGER_METHODS } from '../../shared/puppet/ruby/native/methods/number-methods.ts';
import { MATCH_METHODS, REGEXP_METHODS } from '../../shared/puppet/ruby/native/methods/regexp-methods.ts';
import { STRING_METHODS } from '../../shared/puppet/ruby/native/methods/string-methods.ts';
import { RubyClass } from '../../shared/puppet/ruby/native/objects.ts';
import type { MethodCall } from '../../shared/puppet/ruby/native/runtime.ts';
import { RubyHost } from '../../shared/puppet/ruby/ruby-host.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../shared/puppet/types/values/regexp.ts';
import { Sensitive, type Value } from '../../shared/puppet/types/values/values.ts';
import { renderHere } from './both-renderings.ts';
import { compileCode } from './compile-code.ts';
import { argumentsFor, filesBelow, openForRuby } from './function-files.ts';
import { hasModules, writeControlRepo } from './installed-modules.ts';
import { PROFILES, renderingCode, templatesOf } from './template-codes.ts';
import { isFromEnumerable, UNUSED_METHODS } from './unused-methods.ts';

/** How many templates and functions run each method, the most used first. */
const TABLE = join(import.meta.dirname, 'native-usage.ours.txt');

const { used } = vi.hoisted(() => ({ used: new Set<string>() }));

function ownerOf(value: Value): string {
  if (value === null) return 'NilClass';
  if (Array.isArray(value)) return 'Array';
  if (value instanceof PuppetHash) return 'Hash';
  if (value instanceof PuppetRegexp) return 'Regexp';
  if (value instanceof Sensitive) return 'Sensitive';
  const owners: Readonly<Record<string, string>> = {
    string: 'String',
    bigint: 'Integer',
    number: 'Float',
    boolean: 'Boolean',
  };
  return owners[typeof value] ?? value.constructor.name.replace(/^Ruby/, '');
}

vi.mock('../../shared/puppet/ruby/native/methods/methods.ts', async (original) => {
  const { callMethod } = await original<typeof import('../../shared/puppet/ruby/native/methods/methods.ts')>();
  const counted = (self: Value, name: string, call: MethodCall): Value => {
    const value = callMethod(self, name, call);
    const owner = ownerOf(self);
    used.add(self instanceof RubyClass ? `${self.name}.${name}` : `${owner}#${name}`);
    return value;
  };
  return {
    callMethod: counted,
    methodCaller: (name: string) => (self: Value, call: MethodCall) => counted(self, name, call),
  };
});

vi.mock('../../shared/puppet/ruby/native/methods/kernel-methods.ts', async (original) => {
  const module = await original<typeof import('../../shared/puppet/ruby/native/methods/kernel-methods.ts')>();
  const counted = (name: string, call: MethodCall): Value => {
    used.add(`Kernel#${name}`);
    return module.callKernelMethod(name, call);
  };
  return { ...module, callKernelMethod: counted };
});

/** All methods that run without Ruby, as `Owner#name`; what all values have, as `Object#name`. */
function knownMethods(): readonly string[] {
  const of = (owner: string, names: Iterable<string>) => Array.from(names, (name) => `${owner}#${name}`);
  const found = (owner: string, find: (name: string) => unknown, names: Iterable<string>) =>
    of(
      owner,
      [...new Set([...names, ...ENUMERABLE.keys()])].filter((name) => find(name) !== undefined),
    );
  return [
    ...of('Object', COMMON.keys()),
    ...of('NilClass', NIL_METHODS.keys()),
    ...of('Boolean', BOOLEAN_METHODS.keys()),
    ...of('Symbol', SYMBOL_METHODS.keys()),
    ...of('Sensitive', SENSITIVE_METHODS.keys()),
    ...of('String', STRING_METHODS.keys()),
    ...of('Integer', INTEGER_METHODS.keys()),
    ...of('Float', FLOAT_METHODS.keys()),
    ...found('Array', findArrayMethod, [...ARRAY_METHODS.keys(), ...ARRAY_CHANGES.keys()]),
    ...found('Hash', findHashMethod, [...HASH_METHODS.keys(), ...HASH_CHANGES.keys()]),
    ...found('Range', findRangeMethod, RANGE_METHODS.keys()),
    ...of('Regexp', REGEXP_METHODS.keys()),
    ...of('Match', MATCH_METHODS.keys()),
    ...of('Address', ADDRESS_METHODS.keys()),
    ...of('Exception', EXCEPTION_METHODS.keys()),
    ...of('Kernel', KERNEL_METHODS.keys()),
    ...LIBRARY_METHODS.keys(),
  ];
}

class RubyAsked extends Error {}

/** Runs native code, up to where Ruby would take over. */
function endAtRuby(ruby: RubyHost, run: () => unknown): void {
  try {
    ruby.beginCompile('code');
    run();
  } catch (error) {
    if (!(error instanceof MachineryFault && error.cause instanceof RubyAsked)) throw error;
  }
}

describe.skipIf(!hasModules())('methods that run without Ruby', () => {
  const ruby = new RubyHost({
    connect: () => {
      throw new RubyAsked();
    },
    timeLimitMs: 1000,
    memoryKilobytes: Number.POSITIVE_INFINITY,
  });
  const facts = readFacts(join(import.meta.dirname, 'facts.json'));
  const parseCache = new ParseCache();
  let repo: string;

  beforeAll(() => {
    repo = mkdtempSync(join(tmpdir(), 'understudy-usage-'));
    writeControlRepo(repo, new Map());
  });

  afterAll(() => {
    ruby.close();
    rmSync(repo, { recursive: true, force: true });
  });

  it('are used by modules, or say why they are there', () => {
    const users = new Map<string, number>();
    const known = new Set(knownMethods());
    const count = (runs: readonly (() => unknown)[]): void => {
      used.clear();
      for (const run of runs) endAtRuby(ruby, run);
      const names = [...used].map((name) => (known.has(name) ? name : name.replace(/^\w+#/, 'Object#')));
      for (const name of new Set(names)) users.set(name, (users.get(name) ?? 0) + 1);
    };
    const environment = openForRuby(repo);
    for (const [template, path] of templatesOf(repo)) {
      const text = readFileSync(path, 'utf8');
      const codes = PROFILES.map((profile) => renderingCode(template, text, profile));
      count(codes.map((code) => () => renderHere({ name: template, code }, environment, ruby)));
    }
    const ofStdlib = openForRuby(repo, 'stdlib written in Ruby');
    const clock = (): bigint => 1_700_000_000_000_000_000n;
    for (const { name, path } of filesBelow(environment.modulepath[0] ?? '')) {
      const within = path.includes('/stdlib/') ? ofStdlib : environment;
      const codes = argumentsFor(name).map((args) => `${name}(${args.join(', ')})`);
      count(codes.map((code) => () => compileCode({ facts, environment: within, clock, parseCache, code, ruby })));
    }
    const table = [...users].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    if (process.env.UPDATE_FIXTURES === '1')
      writeFileSync(TABLE, table.map(([name, uses]) => `${name}: ${uses}\n`).join(''));
    const before = readFileSync(TABLE, 'utf8').trim().split('\n');
    expect(before.map((line) => line.replace(/: \d+$/, '')).filter((name) => !users.has(name))).toEqual([]);
    const unused = [...known].filter((name) => !users.has(name) && !isFromEnumerable(name));
    const reasoned = new Set([...UNUSED_METHODS.values()].flat());
    console.log(`${known.size} methods are known, ${[...known].filter((name) => users.has(name)).length} are used`);
    expect(unused.filter((name) => !reasoned.has(name))).toEqual([]);
    expect([...reasoned].filter((name) => !unused.includes(name))).toEqual([]);
  });
});
