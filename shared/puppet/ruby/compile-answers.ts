import { readPublicKey } from '../commands/ssh-keygen.ts';
import { keptNameOf } from '../environment/kept-names.ts';
import { type CompileLog, isLogLevel, type LogLevel } from '../errors/compile-log.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { callFound } from '../evaluator/bytes-arguments.ts';
import type {
  Callable,
  CallSite,
  CompileContext,
  KeptValuesPort,
  MethodReceiver,
  ResourceTypeInfo,
} from '../evaluator/ports.ts';
import { PuppetLanguageFunction } from '../evaluator/puppet-function.ts';
import type {
  DefinitionKind,
  DefinitionPlaceView,
  GivenBlock,
  ResourceAttributes,
  RubySource,
  ScopeName,
} from '../evaluator/ruby-port.ts';
import type { Scope } from '../evaluator/scope.ts';
import { typeResolver } from '../evaluator/type-references.ts';
import type { Language } from '../levels/language.ts';
import { displayString } from '../types/format/string-converter.ts';
import { infer } from '../types/inference.ts';
import { PuppetObject } from '../types/objects/puppet-object.ts';
import { parseType, type TypeResolver } from '../types/type-parser.ts';
import type { Value } from '../types/values/values.ts';
import { findFunctionFile, readRuby } from './ruby-sources.ts';

/** A Ruby block, as the host calls it. */
type RubyBlockFunction = (args: readonly Value[]) => Value;

/** A 4.x function that calls others. */
export interface CallingFunction {
  readonly name: string;
  /** Its file, whose module decides which functions it sees. */
  readonly path: string;
}

/** The compile that Ruby asks, at the call of its code. */
export class AskedCompile {
  readonly site: CallSite;
  /** The calling 4.x function; null for other code, which sees the functions of the environment. */
  readonly caller: CallingFunction | null;

  constructor(site: CallSite, caller: CallingFunction | null) {
    this.site = site;
    this.caller = caller;
  }

  get context(): CompileContext {
    return this.site.context;
  }

  get topScope(): Scope {
    return this.context.topScope;
  }

  get types(): TypeResolver {
    return typeResolver(this.topScope);
  }

  scopeIn(where: ScopeName): Scope {
    const { scope } = this.site;
    if (where === null) return scope;
    return (where === '' ? undefined : scope.classScope(where)) ?? this.topScope;
  }

  siteIn(where: ScopeName): CallSite {
    return where === null ? this.site : { ...this.site, scope: this.scopeIn(where) };
  }
}

/** Calls a function. Puppet: Function#call_function and Scope#call_function */
export function callNamed(
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

export function callMethodOf(
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
    context.language.ruby40
      ? `undefined method '${name}' for an instance of ${infer(object)}`
      : `undefined method \`${name}' for ${displayString(object)}`,
  );
}

function isReceiver(value: Value): value is PuppetObject & MethodReceiver {
  return value instanceof PuppetObject && 'callMethod' in value;
}

/** Wraps a Ruby block as a Callable for a function. */
export function callableBlock(block: RubyBlockFunction, least: number, most = least): Callable {
  const named = Number.isFinite(most) ? most : least;
  return {
    call: (...args) => block(args),
    parameterNames: Array.from({ length: named }, (_, index) => `p${index}`),
    type: parseType(`Callable[${least}, ${Number.isFinite(most) ? most : 'default'}]`),
    arity: [least, most],
  };
}

/** Returns what `call` gives; takes back the lines that it wrote, and returns undefined then. */
export function takeBackLines(log: CompileLog, call: () => Value): Value | undefined {
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

export function functionKind(
  { context, caller }: AskedCompile,
  name: string,
  isOwn?: boolean,
): 'built-in' | 'ruby' | 'puppet' | 'other' {
  const found = context.definitions.findFunction(name, isOwn ? caller?.path : null);
  if (!found) return 'other';
  if (found instanceof PuppetLanguageFunction) return 'puppet';
  return found.source ?? 'built-in';
}

export function findDefinition(
  { definitions, topScope }: CompileContext,
  kind: DefinitionKind,
  name: string,
): DefinitionPlaceView | null {
  if (kind === 'function') return definitions.findFunction(name) ? { name } : null;
  if (kind === 'type') return typeResolver(topScope)(name) ? { name } : null;
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

export function listAttributes(type: ResourceTypeInfo | null): ResourceAttributes | null {
  if (!type) return null;
  const listNames = (kind: 'property' | 'parameter') =>
    type.attributes.filter((attribute) => attribute.kind === kind).map(({ name }) => name);
  return { properties: listNames('property'), parameters: listNames('parameter'), namevars: type.namevars };
}

/** Returns the name of the kept value that a path stands for; null for a path of another kind. */
export function findKeptName({ context, topScope }: AskedCompile, path: string): string | null {
  const { environment } = context;
  const folder = String(topScope.lookupVariable('settings::vardir') ?? '');
  return keptNameOf(path, folder, [environment.root, ...environment.modulepath]);
}

const PUBLIC_KEY = /\.pub$/;

/** A kept value. The public key of a private one that is kept is derived from it. */
export function readKept(values: KeptValuesPort, name: string): string | null {
  const text = values.read(name);
  if (text !== null || !PUBLIC_KEY.test(name)) return text;
  const privateKey = values.read(name.replace(PUBLIC_KEY, ''));
  return privateKey === null ? null : readPublicKey(privateKey);
}

export function findLegacySource({ environment }: CompileContext, name: string): RubySource | null {
  const file = findFunctionFile(environment, name, ['3.x']);
  return file && readRuby(environment, file.path);
}

export function logLevel(level: string): LogLevel {
  return isLogLevel(level) ? level : 'notice';
}

const LANGUAGE = 'language.';

/** The value of the language that code of ours asks for like a setting; null for settings. */
export function readLanguage(language: Language, name: string): Value {
  if (!name.startsWith(LANGUAGE)) return null;
  const found = Object.entries(language).find(([one]) => one === name.slice(LANGUAGE.length))?.[1];
  return typeof found === 'string' || typeof found === 'boolean' ? found : null;
}
