import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCompile } from '../../shared/puppet/compiler/create-compile.ts';
import { openDirectoryEnvironment } from '../../shared/puppet/environment/directory-environment.ts';
import type { Environment } from '../../shared/puppet/environment/environment.ts';
import { NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import type { CompileContext } from '../../shared/puppet/evaluator/ports.ts';
import { callbacksOutside } from '../../shared/puppet/ruby/callbacks.ts';
import { loadRubyFunction } from '../../shared/puppet/ruby/ruby-functions.ts';
import { findFunctionFile, readRuby } from '../../shared/puppet/ruby/ruby-sources.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { hasModules, writeControlRepo } from './installed-modules.ts';
import { describedWithPuppet, puppetAnswers } from './puppet-answers.ts';

const answers = puppetAnswers('ruby-functions', import.meta.filename, 'describe-functions.rb');
afterAll(() => answers.finish());

/** What real Puppet says of a function. */
interface RealFunction {
  readonly name: string;
  readonly api: '4.x' | '3.x';
  readonly error?: string;
  readonly dispatches?: readonly {
    readonly type: string;
    readonly parameters: readonly string[];
    readonly block: string | null;
    readonly mismatch: boolean;
  }[];
  readonly type?: string;
  readonly arity?: number;
}

/** Functions that do not load, here and with real Puppet. Their libraries are no part of Ruby. */
const FAILURES: ReadonlyMap<string, string> = new Map([['redisget', 'cannot load such file -- redis']]);

/** A function without dispatches shows how many arguments it takes even where that is clear. */
function plainCallable(type: string): string {
  return type.replace(/^(Callable\[Any(?:, Any)*), (\d+), \2\]$/, '$1]');
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

describe.skipIf(!hasModules())('Ruby functions of packaged modules', () => {
  const ruby = createWasmRuby();
  let repo: string;
  let environment: Environment;
  let context: CompileContext;
  let real: readonly RealFunction[];

  beforeAll(async () => {
    repo = mkdtempSync(join(tmpdir(), 'understudy-functions-'));
    writeControlRepo(repo, new Map());
    environment = openDirectoryEnvironment(repo, 'production', NO_RECORDER);
    context = contextOf(environment);
    real = await describedWithPuppet('describe-functions.rb', environment.modulepath[0] ?? '', answers);
  });

  afterAll(() => {
    ruby.close();
    rmSync(repo, { recursive: true, force: true });
  });

  function contextOf(of: Environment): CompileContext {
    const node = { certname: 'n.example.com', environment: 'production', facts: new PuppetHash(), classes: [] };
    const settings = {
      language: 'puppet-8',
      strict: 'error',
      strictVariables: true,
      tasks: false,
      storeconfigs: false,
    } as const;
    return createCompile({
      node: { ...node, trusted: new PuppetHash(), serverFacts: null, parameters: new PuppetHash() },
      environment: of,
      settings,
      inputs: NO_RECORDER,
      exportsOf: () => [],
      ruby,
    }).context;
  }

  const sourceOf = ({ name, api }: RealFunction) =>
    readRuby(environment, findFunctionFile(environment, name, [api])?.path ?? '');

  it('load, and take what real Puppet says', () => {
    const all = real.filter(({ api }) => api === '4.x');
    expect(all.length).toBeGreaterThanOrEqual(85);
    const describe4 = (one: RealFunction) =>
      ruby.describeFunction(one.name, sourceOf(one), callbacksOutside(environment));
    // A function with a `call` of its own takes everything and dispatches itself.
    const [own, functions] = partition(all, (one) => describe4(one).dispatches[0]?.method === 'call');
    expect(own.map(({ name }) => name)).toEqual(
      all.filter((one) => /^\s*def call\(/m.test(sourceOf(one).text)).map(({ name }) => name),
    );
    const ours = functions.map((one) => {
      const described = describe4(one);
      const file = findFunctionFile(context.environment, one.name, ['4.x']);
      const types = file && loadRubyFunction(context, one.name, file, new Map()).getSignatures().map(String);
      const names = described.dispatches.map(({ parameters, isMismatch }) => ({
        mismatch: isMismatch,
        parameters: parameters.map(({ name }) => name),
      }));
      return { name: one.name, types, names };
    });
    expect(ours).toEqual(
      functions.map(({ name, dispatches = [] }) => ({
        name,
        types: dispatches.filter(({ mismatch }) => !mismatch).map(({ type }) => plainCallable(type)),
        names: dispatches.map(({ mismatch, parameters }) => ({ mismatch, parameters })),
      })),
    );
  });

  it('of the old API load, with the kind and arity that real Puppet says', () => {
    const functions = real.filter(({ api }) => api === '3.x');
    expect(functions.length).toBeGreaterThanOrEqual(150);
    const failed = new Map<string, string>();
    for (const one of functions) {
      try {
        const { type, arity } = ruby.describeLegacyFunction(one.name, sourceOf(one), callbacksOutside(environment));
        expect({ name: one.name, type, arity }).toEqual({ name: one.name, type: one.type, arity: one.arity });
      } catch (error) {
        if (one.error === undefined || !(error instanceof Error)) throw error;
        failed.set(one.name, error.message);
        expect(one.error).toBe(`Could not autoload puppet/parser/functions/${one.name}: ${error.message}`);
      }
    }
    expect(failed).toEqual(FAILURES);
  });
});
