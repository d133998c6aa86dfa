/**
 * Makes Ruby functions of modules callable from Puppet code. Follows lib/puppet/functions.rb and
 * lib/puppet/pops/functions/dispatch.rb.
 */
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { defineRubyLegacyFunction } from '../evaluator/legacy-function.ts';
import { type DispatchSpec, defineFunction, type MismatchSpec } from '../evaluator/native-function.ts';
import type { Callable, CallSite, CompileContext, PuppetFunction } from '../evaluator/ports.ts';
import type { PuppetBlock, RubyDispatch, RubyFunctionDescription, RubyPort } from '../evaluator/ruby-port.ts';
import { typeResolver } from '../evaluator/type-references.ts';
import { assertInstance } from '../types/assertion.ts';
import { rubyToS } from '../types/format/ruby-text.ts';
import type { PType } from '../types/ptype.ts';
import { parseType, type TypeNames } from '../types/type-parser.ts';
import type { Value } from '../types/values/values.ts';
import { askRuby } from './callbacks.ts';
import type { CallingFunction } from './compile-answers.ts';
import { withRubyErrors } from './ruby-errors.ts';
import { localTypes, signatureOf } from './ruby-signatures.ts';
import { type RubyFunctionFile, readRuby } from './ruby-sources.ts';

/** The file whose typed function Ruby has under a name, by name. */
export type DescribedFiles = Map<string, string>;

/**
 * Returns the function of a file. A function that cannot run throws when it is called. Ruby has one
 * typed function of a name at a time: when two files define it, each call loads its own again.
 */
export function loadRubyFunction(
  context: CompileContext,
  name: string,
  file: RubyFunctionFile,
  described: DescribedFiles,
): PuppetFunction {
  const { ruby } = context;
  return ruby ? withRubyErrors(() => load(ruby, context, name, file, described)) : withoutRuby(name, file);
}

function load(
  ruby: RubyPort,
  context: CompileContext,
  name: string,
  file: RubyFunctionFile,
  described: DescribedFiles,
): PuppetFunction {
  const source = readRuby(context.environment, file.path);
  const site = { context, scope: context.topScope, node: null };
  const caller: CallingFunction = { name, path: file.path };
  const describe = (): RubyFunctionDescription => {
    described.set(name, file.path);
    return askRuby(site, caller, (callbacks) => ruby.describeFunction(name, source, callbacks));
  };
  if (file.api === '4.x') {
    return createTypedFunction(ruby, context, caller, describe(), () => {
      if (described.get(name) !== file.path) describe();
    });
  }
  const { arity, type } = askRuby(site, null, (callbacks) => ruby.describeLegacyFunction(name, source, callbacks));
  return defineRubyLegacyFunction(name, {
    arity,
    rvalue: type === 'rvalue',
    body: (site, args) =>
      withRubyErrors(() => askRuby(site, null, (callbacks) => ruby.callLegacyFunction(name, args, callbacks))),
  });
}

/** Creates a function that exists but cannot be called. */
function withoutRuby(name: string, { path }: RubyFunctionFile): PuppetFunction {
  return {
    name,
    call: () => {
      throw new PuppetError(ISSUES.FUNCTION_NEEDS_RUBY({ name, path }));
    },
    getSignatures: () => [],
  };
}

function createTypedFunction(
  ruby: RubyPort,
  context: CompileContext,
  caller: CallingFunction,
  description: RubyFunctionDescription,
  prepare: () => void,
): PuppetFunction {
  const { name, dispatches } = description;
  const types = localTypes(description, typeResolver(context.topScope));
  const call = (dispatch: RubyDispatch, site: CallSite, args: readonly Value[], block: Callable | null): Value =>
    withRubyErrors(() => {
      prepare();
      return askRuby(site, caller, (callbacks) =>
        ruby.callFunction(description, dispatch.method, args, block && rubyBlock(block), callbacks),
      );
    });
  return defineFunction(
    name,
    dispatches.filter(({ isMismatch }) => !isMismatch).map((one) => dispatchSpec(one, types, call)),
    {
      mismatches: dispatches.filter(({ isMismatch }) => isMismatch).map((one) => mismatchSpec(one, call)),
      localTypes: types,
      source: 'ruby',
    },
  );
}

type Call = (dispatch: RubyDispatch, site: CallSite, args: readonly Value[], block: Callable | null) => Value;

function dispatchSpec(dispatch: RubyDispatch, types: TypeNames, call: Call): DispatchSpec {
  const { method, returns } = dispatch;
  let returnType: PType | undefined;
  return {
    ...signatureOf(dispatch),
    ...(returns === null ? {} : { returns }),
    body: (site, args, block) => {
      const result = call(dispatch, site, args, block);
      if (returns === null) return result;
      returnType ??= parseType(returns, types);
      return assertInstance(`value returned from function '${method}'`, returnType, result);
    },
  };
}

function mismatchSpec(dispatch: RubyDispatch, call: Call): MismatchSpec {
  return { ...signatureOf(dispatch), message: (args, site) => rubyToS(call(dispatch, site, args, null)) };
}

function rubyBlock(block: Callable): PuppetBlock {
  const [required, most] = block.arity;
  const last = block.parameterNames.length - 1;
  const kindOf = (index: number) => {
    if (index === last && most > block.parameterNames.length) return 'rest';
    return index < required ? 'req' : 'opt';
  };
  const parameters = block.parameterNames.map((name, index) => [kindOf(index), name] as const);
  return Object.assign((args: readonly Value[]) => block.call(...args), { parameters, lambda: block });
}
