import { computeCommand } from '../commands/pure-command.ts';
import { createKeyFile, type KeptFiles } from '../commands/ssh-keygen.ts';
import { globPaths } from '../environment/glob.ts';
import { isLogged } from '../errors/compile-log.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { RubyError } from '../errors/ruby-error.ts';
import { describeVolatileCall } from '../evaluator/compile-clock.ts';
import type { CallSite } from '../evaluator/ports.ts';
import type { RubyCallbacks, RubyEnvironment } from '../evaluator/ruby-callbacks.ts';
import { parseTitle } from '../evaluator/title-patterns.ts';
import { DEFAULT_LANGUAGE } from '../levels/language.ts';
import { fromRichData } from '../serialization/from-data.ts';
import { toRichData } from '../serialization/to-data.ts';
import { infer, inferSet } from '../types/inference.ts';
import { parseType } from '../types/type-parser.ts';
import {
  AskedCompile,
  type CallingFunction,
  callableBlock,
  callMethodOf,
  callNamed,
  findDefinition,
  findKeptName,
  findLegacySource,
  functionKind,
  listAttributes,
  logLevel,
  readKept,
  readLanguage,
  takeBackLines,
} from './compile-answers.ts';
import { readDescription } from './read-descriptions.ts';
import { withRubyErrors } from './ruby-errors.ts';
import { argumentMismatch } from './ruby-signatures.ts';
import { printShared, printValue } from './wire.ts';
import {
  answerChange,
  answerDefaults,
  answerDefinition,
  answerFact,
  answerFunction,
  answerMethod,
  answerNull,
  answerRemoval,
  answerResource,
  answerSource,
  answerVariable,
  answerVariables,
  fieldIn,
  lendVariables,
  listIn,
  scopeOf,
  sourceOf,
  tagsWanted,
  textIn,
  type WireAnswer,
  warningKeyOf,
} from './wire-answers.ts';

/** The methods of `RubyCallbacks`. */
type Question = Exclude<keyof RubyCallbacks, 'environment' | 'language'>;

/** A callback: its answers, and the calls by which Ruby's side asks for it. */
interface CallbackRow<Args extends readonly unknown[], Result> {
  readonly inCompile: (compile: AskedCompile, ...args: Args) => Result;
  /** The answer where nothing is compiled: from the environment's files, absent, or an error. */
  readonly outside: (environment: RubyEnvironment, ...args: Args) => Result;
  /** The calls in side/*.rb, by name: each reads its arguments and prints the answer as JSON. */
  readonly calls?: Readonly<Record<string, WireAnswer>>;
  /** Whether it changes the compile, or runs code that may. A request that did is not retried. */
  readonly hasEffects?: boolean;
}

type CallbackRows = {
  readonly [Name in Question]: CallbackRow<Parameters<RubyCallbacks[Name]>, ReturnType<RubyCallbacks[Name]>>;
};

/** All callbacks. A new one is a method of `RubyCallbacks` and its row here. */
export const CALLBACK_ROWS: CallbackRows = {
  callFunction: {
    inCompile: (compile, name, args, block, where, isOwn) =>
      callNamed(compile.siteIn(where), isOwn ? compile.caller : null, name, args, block),
    // Puppet::Module.find, which code of types and providers calls when it is loaded.
    outside: (environment, name, [path = null]) =>
      name === 'module_directory'
        ? (environment.findModule(String(path))?.root ?? null)
        : refuse(`the function ${name}`),
    calls: { function: answerFunction },
    hasEffects: true,
  },
  callQuietly: {
    inCompile: (compile, name, args, where) =>
      takeBackLines(compile.context.log, () => callNamed(compile.siteIn(where), compile.caller, name, args, null)),
    outside: (_, name) => refuse(`the function ${name}`),
  },
  functionKind: { inCompile: functionKind, outside: () => 'other' },
  functionSource: {
    inCompile: ({ context }, name) => findLegacySource(context, name),
    outside: () => null,
    calls: { source: answerSource },
  },
  callMethod: {
    inCompile: ({ site }, object, name, args, block, arity) =>
      callMethodOf(site, object, name, args, block && callableBlock(block, arity)),
    outside: (_, _object, name) => refuse(`the method ${name}`),
    calls: { method: answerMethod },
    hasEffects: true,
  },
  getVariable: {
    inCompile: (compile, name, demanded, where) => {
      const scope = compile.scopeIn(where);
      return demanded ? scope.getVariable(name) : scope.lookupVariable(name);
    },
    outside: () => undefined,
    calls: { var: answerVariable, fact: answerFact },
  },
  explainAbsence: {
    inCompile: (compile, name, where) => compile.scopeIn(where).explainAbsence(name) || null,
    outside: () => null,
  },
  getVariables: {
    inCompile: (compile, where) => compile.scopeIn(where).variables(),
    outside: () => ({ get: () => undefined, all: () => new Map() }),
    calls: { vars: answerVariables, variables: lendVariables },
  },
  setVariable: {
    inCompile: (compile, name, value, where) => compile.scopeIn(where).setVariable(name, value),
    outside: (_, name) => refuse(`the variable ${name}`),
    calls: {
      setvar: (call, callbacks, { read }) =>
        answerNull(callbacks.setVariable(textIn(call, 'name'), read(fieldIn(call, 'value')), scopeOf(call))),
    },
    hasEffects: true,
  },
  unsetVariable: {
    inCompile: (compile, name, where) => compile.scopeIn(where).unsetVariable(name),
    outside: (_, name) => refuse(`the variable ${name}`),
  },
  getDefaults: {
    inCompile: (compile, type, where) => compile.context.catalog.defaultsOf(compile.scopeIn(where), type),
    outside: () => new Map(),
    calls: { defaults: answerDefaults },
  },
  replaceDefaults: {
    inCompile: (compile, object, where) => {
      const { ruby, catalog } = compile.context;
      if (!ruby) return;
      const site = compile.siteIn(where);
      catalog.replaceDefaults(site.scope, (type) =>
        withRubyErrors(() => askRuby(site, null, (own) => ruby.lookUpDefaults(object, type, own))),
      );
    },
    outside: () => undefined,
    calls: {
      replace_defaults: (call, callbacks) =>
        answerNull(callbacks.replaceDefaults(Number(fieldIn(call, 'id')), scopeOf(call))),
    },
  },
  isLogged: {
    inCompile: ({ context }, level) => isLogged(logLevel(level), context.log.level),
    outside: () => false,
  },
  log: {
    inCompile: ({ context: { log } }, level, message, key, source) => {
      const entry = { level: logLevel(level), message, ...(source !== null && { source }) };
      if (key === null) log.add(entry);
      else log.addOnce(key, entry);
    },
    outside: () => undefined,
    calls: {
      log: (call, callbacks) =>
        answerNull(callbacks.log(textIn(call, 'level'), textIn(call, 'message'), warningKeyOf(call), sourceOf(call))),
    },
    hasEffects: true,
  },
  readKept: {
    inCompile: (compile, path) => {
      const name = findKeptName(compile, path);
      return name === null ? false : readKept(compile.context.keptValues, name);
    },
    outside: () => false,
    calls: {
      kept: (call, callbacks) => JSON.stringify(callbacks.readKept(textIn(call, 'path'))),
      command: (call, callbacks) => {
        const argv = listIn(call, 'argv').map(String);
        const files: KeptFiles = {
          read: (path) => callbacks.readKept(path),
          write: (path, text) => callbacks.writeKept(path, text),
        };
        return JSON.stringify(computeCommand(argv) ?? createKeyFile(argv, files));
      },
    },
  },
  writeKept: {
    inCompile: (compile, path, text) => {
      const name = findKeptName(compile, path);
      if (name === null) throw new PuppetError(ISSUES.NOT_KEPT({ path }));
      compile.context.keptValues.write(name, text);
    },
    outside: (_, path) => refuse(`the value ${path}`),
    calls: {
      keep: (call, callbacks) => {
        const text = call.get('text') === null ? null : textIn(call, 'text');
        return answerNull(callbacks.writeKept(textIn(call, 'path'), text));
      },
    },
    hasEffects: true,
  },
  readFile: {
    ...inEnvironment((environment, path: string) => environment.readText(path)),
    calls: { read: (call, callbacks) => JSON.stringify(callbacks.readFile(textIn(call, 'path'))) },
  },
  kindOf: {
    ...inEnvironment((environment, path: string) => environment.kindOf(path)),
    calls: { kind: (call, callbacks) => JSON.stringify(callbacks.kindOf(textIn(call, 'path'))) },
  },
  list: {
    ...inEnvironment((environment, path: string) => environment.list(path)),
    calls: { list: (call, callbacks) => JSON.stringify(callbacks.list(textIn(call, 'path'))) },
  },
  glob: {
    ...inEnvironment((environment, pattern: string) => globPaths(pattern, environment)),
    calls: { glob: (call, callbacks) => JSON.stringify(callbacks.glob(textIn(call, 'pattern'))) },
  },
  listModules: {
    ...inEnvironment((environment) => new Map(environment.listModules().map((module) => [module.name, module.root]))),
    calls: { modules: (_call, callbacks) => JSON.stringify(Object.fromEntries(callbacks.listModules())) },
  },
  findResource: {
    inCompile: ({ context, site }, name) => context.catalog.resourceView(site.scope, name),
    outside: () => null,
    calls: { resource: answerResource },
  },
  resourceNames: {
    inCompile: ({ context }) => context.catalog.resourceNames(),
    outside: () => [],
    calls: { resources: (_call, callbacks) => JSON.stringify(callbacks.resourceNames()) },
  },
  changeResource: {
    inCompile: ({ context }, name, change) => context.catalog.changeResource(name, change),
    outside: (_, [type, title]) => refuse(`the resource ${type}[${title}]`),
    calls: { change: answerChange },
    hasEffects: true,
  },
  removeResource: {
    inCompile: ({ context }, name, from) => context.catalog.removeResource(name, from),
    outside: (_, [type, title]) => refuse(`the resource ${type}[${title}]`),
    calls: { remove: answerRemoval },
    hasEffects: true,
  },
  scopeNames: {
    inCompile: ({ context, site }) => context.catalog.scopeNames(site.scope),
    outside: () => [],
    calls: { scopes: (_call, callbacks) => JSON.stringify(callbacks.scopeNames()) },
  },
  findDefinition: {
    inCompile: ({ context }, kind, name) => findDefinition(context, kind, name),
    outside: () => null,
    calls: { definition: answerDefinition },
  },
  resourceType: {
    inCompile: ({ context }, name) => listAttributes(context.definitions.findResourceType(name)),
    outside: () => null,
    calls: { type: (call, callbacks) => JSON.stringify(callbacks.resourceType(textIn(call, 'name'))) },
  },
  listTags: {
    inCompile: ({ context, site }, which) => context.catalog.tagsOf(site.scope, which),
    outside: () => [],
    calls: { tags: (call, callbacks) => JSON.stringify(callbacks.listTags(tagsWanted(call))) },
  },
  getSetting: {
    inCompile: ({ context, topScope }, name) =>
      readLanguage(context.language, name) ?? topScope.lookupVariable(`settings::${name}`),
    outside: (environment, name) => {
      if (name === 'environment') return environment.name;
      return name === 'modulepath' ? environment.modulepath.join(':') : undefined;
    },
    calls: {
      setting: (call, callbacks, { objects }) =>
        printValue(callbacks.getSetting(textIn(call, 'name')) ?? null, objects),
    },
  },
  getStack: {
    inCompile: ({ context }) => context.evaluator.stack.getFrames(),
    outside: () => [],
    calls: { stack: (_call, callbacks) => JSON.stringify(callbacks.getStack()) },
  },
  describeMismatch: {
    inCompile: ({ site, types }, description, args) => argumentMismatch(site, description, args, types),
    outside: (_, { name }) => `'${name}' expects other arguments than it got`,
    calls: {
      mismatch: (call, callbacks, { read }) =>
        JSON.stringify(
          callbacks.describeMismatch(readDescription(fieldIn(call, 'function')), listIn(call, 'args').map(read)),
        ),
    },
  },
  titleAttributes: {
    inCompile: ({ context }, type, title) => {
      const known = context.definitions.findResourceType(type.toLowerCase());
      return known ? parseTitle(known, title) : new Map([['name', title]]);
    },
    outside: () => new Map(),
    calls: {
      title: (call, callbacks) =>
        JSON.stringify(Object.fromEntries(callbacks.titleAttributes(textIn(call, 'type'), textIn(call, 'title')))),
    },
  },
  isInstance: {
    inCompile: ({ types }, type, value) => parseType(type, types).isInstance(value),
    outside: (_, type) => refuse(`the type ${type}`),
    calls: {
      instance: (call, callbacks, { read }) =>
        String(callbacks.isInstance(textIn(call, 'type'), read(fieldIn(call, 'value')))),
    },
  },
  typeOf: {
    inCompile: (_, value, isSet) => String(isSet ? inferSet(value) : infer(value)),
    outside: () => refuse('the type of a value'),
    calls: {
      typeof: (call, callbacks, { read }) =>
        JSON.stringify(callbacks.typeOf(read(fieldIn(call, 'value')), call.get('set') === true)),
    },
  },
  toRichData: {
    inCompile: (_, value, localReferences) => toRichData(value, { localReferences }),
    outside: () => refuse('rich data'),
    calls: {
      to_data: (call, callbacks, { read, objects }) => {
        const value = read(fieldIn(call, 'value'));
        return printShared(callbacks.toRichData(value, call.get('local_reference') === true), objects);
      },
    },
  },
  fromRichData: {
    inCompile: ({ types }, data) => fromRichData(data, { resolver: types }),
    outside: () => refuse('rich data'),
    calls: {
      from_data: (call, callbacks, { read, objects }) =>
        printShared(callbacks.fromRichData(read(fieldIn(call, 'data'))), objects),
    },
  },
  recordVolatile: {
    inCompile: ({ context, site }, name) => context.inputs.recordVolatile(describeVolatileCall(name, site.node)),
    outside: () => undefined,
    calls: { volatile: (call, callbacks) => answerNull(callbacks.recordVolatile(textIn(call, 'name'))) },
  },
  readClock: {
    inCompile: ({ context, site }, name) => context.clock.read(name, site.node),
    outside: () => 0n,
    calls: { now: (call, callbacks) => String(callbacks.readClock(textIn(call, 'name'))) },
  },
};

/** The answers of a callback that only reads the environment's files. */
function inEnvironment<Args extends readonly unknown[], Result>(
  read: (environment: RubyEnvironment, ...args: Args) => Result,
): Pick<CallbackRow<Args, Result>, 'inCompile' | 'outside'> {
  return { inCompile: ({ context }, ...args) => read(context.environment, ...args), outside: read };
}

function refuse(what: string): never {
  throw new PuppetError(ISSUES.RUBY_OUTSIDE_COMPILE({ what }));
}

const IN_COMPILE = prototypeOf('inCompile', 'compile');
const OUTSIDE = prototypeOf('outside', 'environment');

/** Returns an object that has the callbacks as methods; their subject is its property `of`. */
function prototypeOf(side: 'inCompile' | 'outside', of: string): object {
  const methodOf = (answer: (...args: never[]) => unknown) =>
    function (this: Readonly<Record<string, unknown>>, ...args: readonly unknown[]): unknown {
      return Reflect.apply(answer, null, [this[of], ...args]);
    };
  return Object.fromEntries(Object.entries(CALLBACK_ROWS).map(([name, row]) => [name, methodOf(row[side])]));
}

/** Returns the callbacks where nothing is compiled. */
export function callbacksOutside(environment: RubyEnvironment): RubyCallbacks {
  return Object.assign(Object.create(OUTSIDE), { environment, language: DEFAULT_LANGUAGE });
}

/**
 * Returns the callbacks of a compile. Every read takes the same path as a read by Puppet code, so
 * it is recorded.
 */
function callbacksOf(compile: AskedCompile): RubyCallbacks {
  const { environment, language } = compile.context;
  return Object.assign(Object.create(IN_COMPILE), { compile, environment, language });
}

/**
 * Runs `ask`, which calls Ruby on behalf of `site`. `caller`: the calling 4.x function; null for
 * other code. Errors of Ruby code are thrown as RubyError; errors that passed through Ruby are
 * rethrown unchanged.
 */
export function askRuby<T>(site: CallSite, caller: CallingFunction | null, ask: (callbacks: RubyCallbacks) => T): T {
  try {
    return ask(callbacksOf(new AskedCompile(site, caller)));
  } catch (error) {
    throw error instanceof RubyError && error.original !== undefined ? error.original : error;
  }
}
