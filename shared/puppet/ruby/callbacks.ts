import { readPublicKey } from '../commands/ssh-keygen.ts';
import { keptNameOf } from '../environment/kept-names.ts';
import { type CompileLog, isLogged, isLogLevel, type LogLevel } from '../errors/compile-log.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { RubyError } from '../errors/ruby-error.ts';
import { callFound } from '../evaluator/bytes-arguments.ts';
import { describeVolatileCall } from '../evaluator/compile-clock.ts';
import type {
  Callable,
  CallSite,
  KeptValuesPort,
  MethodReceiver,
  ResourceChange,
  ResourceName,
  ResourceTypeInfo,
  ResourceView,
} from '../evaluator/ports.ts';
import { PuppetLanguageFunction } from '../evaluator/puppet-function.ts';
import { RubyCallbacks } from '../evaluator/ruby-callbacks.ts';
import type {
  DefinitionKind,
  DefinitionPlaceView,
  GivenBlock,
  ResourceAttributes,
  RubyFunctionDescription,
  RubySource,
  ScopeName,
  VisibleVariables,
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
import { parseType, type TypeResolver } from '../types/type-parser.ts';
import type { Value } from '../types/values/values.ts';
import { withRubyErrors } from './ruby-errors.ts';
import { argumentMismatch } from './ruby-signatures.ts';
import { findFunctionFile, readRuby } from './ruby-sources.ts';

/** A Ruby block, as the host calls it. */
type RubyBlockFunction = (args: readonly Value[]) => Value;

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
    return ask(new CompileCallbacks(site, caller));
  } catch (error) {
    throw error instanceof RubyError && error.original !== undefined ? error.original : error;
  }
}

/**
 * The callbacks of the call at a site. Every read takes the same path as a read by Puppet code, so
 * it is recorded. `caller`: the calling 4.x function; null for other code, which sees the functions
 * of the environment. Puppet: Function#call_function and Scope#call_function
 */
class CompileCallbacks extends RubyCallbacks {
  readonly #site: CallSite;
  readonly #caller: CallingFunction | null;

  constructor(site: CallSite, caller: CallingFunction | null) {
    super(site.context.environment);
    this.#site = site;
    this.#caller = caller;
  }

  override get language(): Language {
    return this.#site.context.language;
  }

  override callFunction(
    name: string,
    args: readonly Value[],
    block: GivenBlock | null,
    where: ScopeName,
    isOwn?: boolean,
  ): Value {
    return callFunction(this.#siteIn(where), isOwn ? this.#caller : null, name, args, block);
  }

  override callQuietly(name: string, args: readonly Value[], where: ScopeName): Value | undefined {
    const site = this.#siteIn(where);
    return takeBackLines(site.context.log, () => callFunction(site, this.#caller, name, args, null));
  }

  override callMethod(
    object: Value,
    name: string,
    args: readonly Value[],
    block: RubyBlockFunction | null,
    arity: number,
  ): Value {
    return callMethod(this.#site, object, name, args, block && callableBlock(block, arity));
  }

  override getVariable(name: string, demanded: boolean, where: ScopeName): Value | undefined {
    const from = this.#scopeIn(where);
    return demanded ? from.getVariable(name) : from.lookupVariable(name);
  }

  override explainAbsence(name: string, where: ScopeName): string | null {
    return this.#scopeIn(where).explainAbsence(name) || null;
  }

  override getVariables(where: ScopeName): VisibleVariables {
    return this.#scopeIn(where).variables();
  }

  override getDefaults(type: string, where: ScopeName): ReadonlyMap<string, Value> {
    return this.#site.context.catalog.defaultsOf(this.#scopeIn(where), type);
  }

  override replaceDefaults(object: number, where: ScopeName): void {
    const { ruby, catalog } = this.#site.context;
    if (!ruby) return;
    const at = this.#siteIn(where);
    catalog.replaceDefaults(at.scope, (type) =>
      withRubyErrors(() => askRuby(at, null, (own) => ruby.lookUpDefaults(object, type, own))),
    );
  }

  override setVariable(name: string, value: Value, where: ScopeName): void {
    this.#scopeIn(where).setVariable(name, value);
  }

  override unsetVariable(name: string, where: ScopeName): void {
    this.#scopeIn(where).unsetVariable(name);
  }

  override functionKind(name: string, isOwn?: boolean): 'built-in' | 'ruby' | 'puppet' | 'other' {
    const found = this.#site.context.definitions.findFunction(name, isOwn ? this.#caller?.path : null);
    if (!found) return 'other';
    if (found instanceof PuppetLanguageFunction) return 'puppet';
    return found.source ?? 'built-in';
  }

  override isLogged(level: string): boolean {
    return isLogged(logLevel(level), this.#site.context.log.level);
  }

  override log(level: string, message: string, key: string | null, source: string | null): void {
    const { log } = this.#site.context;
    const entry = { level: logLevel(level), message, ...(source !== null && { source }) };
    if (key === null) log.add(entry);
    else log.addOnce(key, entry);
  }

  override readKept(path: string): string | null | false {
    const name = this.#keptName(path);
    return name === null ? false : readKept(this.#site.context.keptValues, name);
  }

  override writeKept(path: string, text: string | null): void {
    const name = this.#keptName(path);
    if (name === null) throw new PuppetError(ISSUES.NOT_KEPT({ path }));
    this.#site.context.keptValues.write(name, text);
  }

  override findResource(name: ResourceName | null): ResourceView | null {
    return this.#site.context.catalog.resourceView(this.#site.scope, name);
  }

  override resourceNames(): readonly ResourceName[] {
    return this.#site.context.catalog.resourceNames();
  }

  override changeResource(name: ResourceName, change: ResourceChange): void {
    this.#site.context.catalog.changeResource(name, change);
  }

  override removeResource(name: ResourceName, from: 'catalog' | 'compiler'): void {
    this.#site.context.catalog.removeResource(name, from);
  }

  override scopeNames(): readonly ResourceName[] {
    return this.#site.context.catalog.scopeNames(this.#site.scope);
  }

  override findDefinition(kind: DefinitionKind, name: string): DefinitionPlaceView | null {
    return findDefinition(this.#site, kind, name);
  }

  override resourceType(name: string): ResourceAttributes | null {
    return attributesOf(this.#site.context.definitions.findResourceType(name));
  }

  override listTags(which: 'scope' | 'all' | 'classes'): readonly string[] {
    return this.#site.context.catalog.tagsOf(this.#site.scope, which);
  }

  override getSetting(name: string): Value | undefined {
    return readLanguage(this.language, name) ?? this.#topScope.lookupVariable(`settings::${name}`);
  }

  override getStack(): readonly (readonly [file: string, line: number])[] {
    return this.#site.context.evaluator.stack.getFrames();
  }

  override describeMismatch(description: RubyFunctionDescription, args: readonly Value[]): string {
    return argumentMismatch(this.#site, description, args, this.#types);
  }

  override titleAttributes(type: string, title: string): ReadonlyMap<string, string> {
    const known = this.#site.context.definitions.findResourceType(type.toLowerCase());
    return known ? parseTitle(known, title) : new Map([['name', title]]);
  }

  override isInstance(type: string, value: Value): boolean {
    return parseType(type, this.#types).isInstance(value);
  }

  override typeOf(value: Value, isSet: boolean): string {
    return String(isSet ? inferSet(value) : infer(value));
  }

  override toRichData(value: Value, localReferences: boolean): Value {
    return toRichData(value, { localReferences });
  }

  override fromRichData(data: Value): Value {
    return fromRichData(data, { resolver: this.#types });
  }

  override functionSource(name: string): RubySource | null {
    return legacySource(this.#site, name);
  }

  override recordVolatile(name: string): void {
    this.#site.context.inputs.recordVolatile(describeVolatileCall(name, this.#site.node));
  }

  override readClock(name: string): bigint {
    return this.#site.context.clock.read(name, this.#site.node);
  }

  get #topScope(): Scope {
    return this.#site.context.topScope;
  }

  get #types(): TypeResolver {
    return typeResolver(this.#topScope);
  }

  #scopeIn(where: ScopeName): Scope {
    const { scope } = this.#site;
    if (where === null) return scope;
    return (where === '' ? undefined : scope.classScope(where)) ?? this.#topScope;
  }

  #siteIn(where: ScopeName): CallSite {
    return where === null ? this.#site : { ...this.#site, scope: this.#scopeIn(where) };
  }

  #keptName(path: string): string | null {
    const { environment } = this;
    const folder = String(this.#topScope.lookupVariable('settings::vardir') ?? '');
    return keptNameOf(path, folder, [environment.root, ...environment.modulepath]);
  }
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
    context.language.ruby40
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
  return typeof found === 'string' || typeof found === 'boolean' ? found : null;
}
