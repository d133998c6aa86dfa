import { readPublicKey } from '../commands/ssh-keygen.ts';
import { keptNameOf } from '../environment/kept-names.ts';
import { type CompileLog, isLogged, isLogLevel, type LogLevel } from '../errors/compile-log.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { RubyError } from '../errors/ruby-error.ts';
import { callFound } from '../evaluator/bytes-arguments.ts';
import { describeVolatileCall } from '../evaluator/compile-clock.ts';
import type { Callable, CallSite, KeptValuesPort, MethodReceiver, ResourceTypeInfo } from '../evaluator/ports.ts';
import { PuppetLanguageFunction } from '../evaluator/puppet-function.ts';
import type {
  DefinitionKind,
  DefinitionPlaceView,
  GivenBlock,
  ResourceAttributes,
  RubyCallbacks,
  RubySource,
  ScopeName,
} from '../evaluator/ruby-port.ts';
import type { Scope } from '../evaluator/scope.ts';
import { parseTitle } from '../evaluator/title-patterns.ts';
import { typeResolver } from '../evaluator/type-references.ts';
import type { Language } from '../levels/language.ts';
import { fromRichData } from '../serialization/from-data.ts';
import { toRichData } from '../serialization/to-data.ts';
import { displayString } from '../types/format/string-converter.ts';
import { infer, inferSet } from '../types/inference.ts';
import { PuppetObject } from '../types/objects/puppet-object.ts';
import { parseType } from '../types/type-parser.ts';
import type { Value } from '../types/values/values.ts';
import { withRubyErrors } from './ruby-errors.ts';
import { argumentMismatch } from './ruby-signatures.ts';
import { findFunctionFile, readRuby } from './ruby-sources.ts';

/** A Ruby block, as the host calls it. */
export type RubyBlockFunction = (args: readonly Value[]) => Value;

/** A 4.x function that calls others. */
export interface CallingFunction {
  readonly name: string;
  /** Its file, whose module decides which functions it sees. */
  readonly path: string;
}

/**
 * Runs `ask`, which calls Ruby on behalf of `site`. Errors of Ruby code are thrown as RubyError;
 * errors that passed through Ruby are rethrown unchanged.
 */
export function askRuby<T>(site: CallSite, caller: CallingFunction | null, ask: (callbacks: RubyCallbacks) => T): T {
  try {
    return ask(rubyCallbacks(site, caller));
  } catch (error) {
    throw error instanceof RubyError && error.original !== undefined ? error.original : error;
  }
}

/**
 * Creates the callbacks for the call at `site`. Every read takes the same path as a read by Puppet
 * code, so it is recorded. `caller`: the calling 4.x function; null for other code, which sees the
 * functions of the environment. Puppet: Function#call_function and Scope#call_function
 */
function rubyCallbacks(site: CallSite, caller: CallingFunction | null): RubyCallbacks {
  const { context, scope } = site;
  const { environment } = context;
  const scopeIn = (where: ScopeName): Scope => {
    if (where === null) return scope;
    return (where === '' ? undefined : scope.classScope(where)) ?? context.topScope;
  };
  const keptName = (path: string): string | null =>
    keptNameOf(path, String(context.topScope.lookupVariable('settings::vardir') ?? ''), [
      environment.root,
      ...environment.modulepath,
    ]);
  return {
    language: context.language,
    callFunction: (name, args, block, where, isOwn) => {
      const from = isOwn ? caller : null;
      return callFunction(where === null ? site : { ...site, scope: scopeIn(where) }, from, name, args, block);
    },
    callQuietly: (name, args, where) =>
      takeBackLines(context.log, () =>
        callFunction(where === null ? site : { ...site, scope: scopeIn(where) }, caller, name, args, null),
      ),
    callMethod: (object, name, args, block, arity) =>
      callMethod(site, object, name, args, block && callableBlock(block, arity)),
    getVariable: (name, demanded, where) => {
      const from = scopeIn(where);
      return demanded ? from.getVariable(name) : from.lookupVariable(name);
    },
    explainAbsence: (name, where) => scopeIn(where).explainAbsence(name) || null,
    getVariables: (where) => scopeIn(where).variables(),
    getDefaults: (type, where) => context.catalog.defaultsOf(scopeIn(where), type),
    replaceDefaults: (object, where) => {
      const { ruby } = context;
      const at = { ...site, scope: scopeIn(where) };
      if (!ruby) return;
      context.catalog.replaceDefaults(at.scope, (type) =>
        withRubyErrors(() => askRuby(at, null, (own) => ruby.lookUpDefaults(object, type, own))),
      );
    },
    setVariable: (name, value, where) => scopeIn(where).setVariable(name, value),
    unsetVariable: (name, where) => scopeIn(where).unsetVariable(name),
    functionKind: (name, isOwn) => {
      const found = context.definitions.findFunction(name, isOwn ? caller?.path : null);
      if (!found) return 'other';
      if (found instanceof PuppetLanguageFunction) return 'puppet';
      return found.source ?? 'built-in';
    },
    isLogged: (level) => isLogged(logLevel(level), context.log.level),
    log: (level, message, key, source) => {
      const entry = { level: logLevel(level), message, ...(source !== null && { source }) };
      if (key === null) context.log.add(entry);
      else context.log.addOnce(key, entry);
    },
    readKept: (path) => {
      const name = keptName(path);
      return name === null ? false : readKept(context.keptValues, name);
    },
    writeKept: (path, text) => {
      const name = keptName(path);
      if (name === null) throw new PuppetError(ISSUES.NOT_KEPT({ path }));
      context.keptValues.write(name, text);
    },
    readFile: (path) => environment.readText(path),
    kindOf: (path) => environment.kindOf(path),
    list: (path) => environment.list(path),
    findResource: (name) => context.catalog.resourceView(scope, name),
    resourceNames: () => context.catalog.resourceNames(),
    changeResource: (name, change) => context.catalog.changeResource(name, change),
    removeResource: (name, from) => context.catalog.removeResource(name, from),
    scopeNames: () => context.catalog.scopeNames(scope),
    findDefinition: (kind, name) => findDefinition(site, kind, name),
    resourceType: (name) => attributesOf(context.definitions.findResourceType(name)),
    listModules: () => new Map(environment.listModules().map((module) => [module.name, module.root])),
    listTags: (which) => context.catalog.tagsOf(scope, which),
    getSetting: (name) => readLanguage(context.language, name) ?? context.topScope.lookupVariable(`settings::${name}`),
    getStack: () => context.evaluator.stack.getFrames(),
    describeMismatch: (description, args) => argumentMismatch(site, description, args, typeResolver(context.topScope)),
    titleAttributes: (type, title) => {
      const known = context.definitions.findResourceType(type.toLowerCase());
      return known ? parseTitle(known, title) : new Map([['name', title]]);
    },
    isInstance: (type, value) => parseType(type, typeResolver(context.topScope)).isInstance(value),
    typeOf: (value, isSet) => String(isSet ? inferSet(value) : infer(value)),
    toRichData: (value, localReferences) => toRichData(value, { localReferences }),
    fromRichData: (data) => fromRichData(data, { resolver: typeResolver(context.topScope) }),
    functionSource: (name) => legacySource(site, name),
    recordVolatile: (name) => context.inputs.recordVolatile(describeVolatileCall(name, site.node)),
    readClock: (name) => context.clock.read(name, site.node),
  };
}

/** Returns what `call` gives; takes back the lines that it wrote, and returns undefined then. */
function takeBackLines(log: CompileLog, call: () => Value): Value | undefined {
  const before = log.position;
  let value: Value | undefined;
  try {
    value = call();
  } finally {
    if (log.entries.length > before.entries) {
      log.rewind(before);
      value = undefined;
    }
  }
  return value;
}

function findDefinition({ context }: CallSite, kind: DefinitionKind, name: string): DefinitionPlaceView | null {
  const { definitions } = context;
  if (kind === 'function') return definitions.findFunction(name) ? { name } : null;
  if (kind === 'type') return typeResolver(context.topScope)(name) ? { name } : null;
  const found = kind === 'class' ? definitions.findClass(name) : definitions.findDefine(name);
  if (!found) return null;
  const { node, moduleName } = found;
  return {
    name: found.name,
    module: moduleName,
    file: node.locator.file ?? '',
    line: node.locator.lineAt(node.offset),
    arguments: node.parameters.map((parameter) => parameter.name),
    ...('parentClass' in node && node.parentClass !== null && { parent: node.parentClass }),
  };
}

const PUBLIC_KEY = /\.pub$/;

/** A kept value. The public key of a private one that is kept is derived from it. */
function readKept(values: KeptValuesPort, name: string): string | null {
  const text = values.read(name);
  if (text !== null || !PUBLIC_KEY.test(name)) return text;
  const privateKey = values.read(name.replace(PUBLIC_KEY, ''));
  return privateKey === null ? null : readPublicKey(privateKey);
}

function attributesOf(type: ResourceTypeInfo | null): ResourceAttributes | null {
  if (!type) return null;
  const listNames = (kind: 'property' | 'parameter') =>
    type.attributes.filter((attribute) => attribute.kind === kind).map(({ name }) => name);
  return { properties: listNames('property'), parameters: listNames('parameter'), namevars: type.namevars };
}

function callFunction(
  site: CallSite,
  caller: CallingFunction | null,
  name: string,
  args: readonly Value[],
  block: GivenBlock | null,
): Value {
  const { context } = site;
  const found = context.definitions.findFunction(name, caller?.path);
  const given = block && (block.lambda ?? callableBlock(block, ...(block.arity ?? [1, 1])));
  if (found) return callFound(found, site, args, given);
  // Puppet has two wordings, in lib/puppet/pops/evaluator/runtime3_support.rb and
  // lib/puppet/pops/functions/function.rb
  throw new PuppetError(
    caller === null ? ISSUES.FUNCTION_UNKNOWN({ name }) : ISSUES.CALLED_FUNCTION_UNKNOWN({ caller: caller.name, name }),
  );
}

function callMethod(
  site: CallSite,
  object: Value,
  name: string,
  args: readonly Value[],
  block: Callable | null,
): Value {
  const { context, scope } = site;
  const attribute = object instanceof PuppetObject && args.length === 0 ? object.get(name) : undefined;
  if (attribute !== undefined) return attribute;
  const receiver = isReceiver(object)
    ? object
    : object instanceof PuppetObject
      ? context.lookup.methodsOf(scope, object)
      : null;
  if (receiver?.hasMethod(name)) return receiver.callMethod(name, args, block);
  // Ruby: NoMethodError
  throw new PuppetError(
    context.language.ruby34
      ? `undefined method '${name}' for an instance of ${infer(object)}`
      : `undefined method \`${name}' for ${displayString(object)}`,
  );
}

function isReceiver(value: Value): value is PuppetObject & MethodReceiver {
  return value instanceof PuppetObject && 'callMethod' in value;
}

function legacySource({ context }: CallSite, name: string): RubySource | null {
  const file = findFunctionFile(context.environment, name, ['3.x']);
  return file && readRuby(context.environment, file.path);
}

/** Wraps a Ruby block as a Callable for a function. */
function callableBlock(block: RubyBlockFunction, least: number, most = least): Callable {
  const named = Number.isFinite(most) ? most : least;
  return {
    call: (...args) => block(args),
    parameterNames: Array.from({ length: named }, (_, index) => `p${index}`),
    type: parseType(`Callable[${least}, ${Number.isFinite(most) ? most : 'default'}]`),
    arity: [least, most],
  };
}

function logLevel(level: string): LogLevel {
  return isLogLevel(level) ? level : 'notice';
}

const LANGUAGE = 'language.';

/** The value of the language that code of ours asks for like a setting; null for settings. */
function readLanguage(language: Language, name: string): Value {
  if (!name.startsWith(LANGUAGE)) return null;
  const found = Object.entries(language).find(([one]) => one === name.slice(LANGUAGE.length))?.[1];
  return typeof found === 'string' ? found : null;
}
