import type { CatalogResource, DeclaringUnit } from '../catalog/resource.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { VariableExpression } from '../language/ast.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { ClockReading } from './clock-reading.ts';
import { BUILT_IN_VARIABLES, nodeVariable, startsWithDigit } from './node-variables.ts';
import type { CompileContext } from './ports.ts';
import { LocalFrame, MatchFrame, type MatchGroups, ParameterFrame, type ScopeFrame } from './scope-frame.ts';
import { ScopeSnapshot } from './scope-snapshot.ts';
import { TopFrame } from './top-frame.ts';

type ScopeKind = 'top' | 'node' | 'class' | 'define' | 'function' | 'local';

interface ScopeOptions {
  readonly kind: ScopeKind;
  /** The class, node or define whose code runs in the scope. */
  readonly source?: DeclaringUnit | null;
  /** The catalog resource that the scope belongs to. */
  readonly resource?: CatalogResource | null;
  /** The class that the class of this scope inherits from. */
  readonly inherits?: string | null;
}

interface SetVariableOptions {
  /** Allows the reserved names `trusted`, `facts` and `server_facts`. */
  readonly privileged?: boolean;
}

/** Tables shared by all scopes of one compile. */
interface SharedTables {
  /** Scopes of evaluated classes by class name. */
  readonly classScopes: Map<string, Scope>;
  /**
   * Scopes whose own tables qualified names resolve to, by class name. A class has variables before
   * its evaluation ends.
   */
  readonly homes: Map<string, Scope>;
  /** Cache of variables read by qualified names. Their values never change. */
  readonly qualified: Map<string, Value>;
  /** Null until first use. */
  settings: ReadonlyMap<string, Value> | null;
  findSettings: () => ReadonlyMap<string, Value>;
}

export const RESERVED_VARIABLES: ReadonlySet<string> = new Set(['trusted', 'facts', 'server_facts']);

/** Returns the error for setting a reserved name, also as a parameter of a block or function. */
export function createReservedNameError(name: string): PuppetError {
  return new PuppetError(ISSUES.RESERVED_VARIABLE_NAME({ name }));
}

const NUMERIC_NAME = /^(0|[1-9]\d*)$/;
const SETTINGS_PREFIX = 'settings::';

/**
 * The variables visible to code, and the code's owner. A scope has its own table and, above it,
 * temporary frames of blocks and matches. A name is then looked up in the inherited class's scope,
 * else in the enclosing scope: the node's scope or the top scope. The scope of the code that
 * declared a class or define is not searched. Puppet: lib/puppet/parser/scope.rb.
 */
export class Scope {
  readonly context: CompileContext;
  readonly parent: Scope | null;
  readonly kind: ScopeKind;
  readonly inherits: string | null;
  source: DeclaringUnit | null;
  resource: CatalogResource | null;
  readonly #shared: SharedTables;
  readonly #table: LocalFrame;
  #frame: ScopeFrame;

  constructor(context: CompileContext, parent: Scope | null, options: ScopeOptions) {
    this.context = context;
    this.parent = parent;
    this.kind = options.kind;
    this.source = options.source ?? null;
    this.resource = options.resource ?? null;
    this.inherits = options.inherits ?? null;
    this.#shared = parent ? parent.#shared : noTables();
    this.#table = this.kind === 'top' ? new TopFrame(null) : new LocalFrame(null);
    this.#frame = this.#table;
    if (this.kind !== 'top' && this.source?.kind === 'class') this.#shared.homes.set(this.source.name, this);
  }

  newScope(options: ScopeOptions): Scope {
    return new Scope(this.context, this, options);
  }

  // ---- lookups

  /**
   * Returns the value; undefined when the variable does not exist. `name` may be qualified
   * (`a::b::c`, `::c`). Match variables, `module_name` and `caller_module_name` always exist.
   */
  lookupVariable(name: string): Value | undefined {
    const separator = name.indexOf('::');
    if (separator === 0) return this.#lookupQualified(name.slice(2));
    // Puppet: node parameters may have any name, also one that looks qualified.
    if (separator > 0) {
      const found = this.#lookupQualified(name);
      return found === undefined ? this.context.node.parameters.get(name) : found;
    }
    const value = this.#lookupInFrames(name);
    if (value !== undefined) return value;
    const next = this.#nextScope();
    if (next) return next.lookupVariable(name);
    return NUMERIC_NAME.test(name) || BUILT_IN_VARIABLES.has(name) ? null : undefined;
  }

  /**
   * Returns the value as functions and templates see it (`scope['x']`). An unknown variable is
   * undef, a warning or an error, as `strict` says.
   */
  getVariable(name: string): Value {
    const value = this.lookupVariable(name);
    if (value !== undefined) return value;
    const { context } = this;
    const last = this.#findLastName(name.replace(/^::/, ''));
    const reason = this.explainAbsence(last);
    // Puppet: a qualified name without a reason for the failure is reported with leading `::`.
    const reported = !name.includes('::') || reason !== '' ? last : `::${last}`;
    const issue = ISSUES.UNDEFINED_VARIABLE({ name: reported, reason });
    if (context.settings.strict === 'error') throw new PuppetError(issue);
    if (context.settings.strict === 'warning') {
      const entry = { level: 'warning', message: `${issue.text}\n   (file & line not available)` } as const;
      context.log.addOnce(`undefined_variables ${reported}`, entry);
    }
    return null;
  }

  /** Whether the variable exists and is not undef. */
  includes(name: string): boolean {
    const value = this.lookupVariable(name);
    return value !== undefined && value !== null;
  }

  /** Whether the variable exists, undef or not. */
  exists(name: string): boolean {
    const separator = name.lastIndexOf('::');
    if (separator < 0) {
      const next = this.#nextScope();
      return this.#lookupInFrames(name) !== undefined || next?.exists(name) === true || BUILT_IN_VARIABLES.has(name);
    }
    const className = name.slice(0, separator);
    const variable = name.slice(separator + 2);
    if (className === '') return BUILT_IN_VARIABLES.has(variable) || this.topScope.exists(variable);
    const plain = name.startsWith('::') ? name.slice(2) : name;
    return this.#findSetting(plain) !== undefined || this.classScope(className)?.exists(variable) === true;
  }

  get topScope(): Scope {
    return this.parent ? this.parent.topScope : this;
  }

  /** The node's scope, else the top scope. */
  get globalScope(): Scope {
    if (this.kind === 'node' || this.kind === 'top') return this;
    return this.#nextScope()?.globalScope ?? this;
  }

  /** Returns the scope of a class; undefined before the class is evaluated. */
  classScope(className: string): Scope | undefined {
    return this.#shared.classScopes.get(className.startsWith('::') ? className.slice(2) : className);
  }

  /** Makes `scope` the class's scope for qualified variables and inheritance. */
  setClassScope(className: string, scope: Scope): void {
    this.#shared.classScopes.set(className, scope);
  }

  /** Provides `$settings::x` from the result of `find`. Each read is recorded. */
  setSettings(find: () => ReadonlyMap<string, Value>): void {
    this.#shared.settings = null;
    this.#shared.findSettings = find;
  }

  /**
   * Returns a snapshot of the visible variables, those of enclosing and inherited scopes included
   * (`scope.to_hash`).
   */
  variables(): ScopeSnapshot {
    const around = [this.#findInheritedScope(), this.#findEnclosingScope()].filter((scope) => scope !== null);
    return new ScopeSnapshot({
      frames: this.#framesFromOldest(),
      around: around.map((scope) => scope.variables()),
      node: this.kind === 'top' ? this.context.node : null,
    });
  }

  // ---- setting

  /**
   * Sets a variable in the innermost table. Throws Puppet's errors for reassignment, numeric names
   * and reserved names.
   */
  setVariable(name: string, value: Value, options: SetVariableOptions = {}): void {
    assertAssignable(name, options);
    const frame = this.#variableFrame();
    if (this.#hasOwn(frame, name)) throw new PuppetError(ISSUES.VARIABLE_ALREADY_ASSIGNED({ name }));
    frame.set(name, value);
  }

  /**
   * Like `setVariable`, but returns false and sets nothing when the innermost table for variables
   * already has the name. `node`: the variable's own node in the source, if any.
   */
  bindVariable(name: string, value: Value, node: VariableExpression | null): boolean {
    const frame = this.#variableFrame();
    const isSet = node ? frame.hasAt(node, name) : frame.hasOwn(name);
    if (isSet || this.#isOfNode(frame, name)) return false;
    assertAssignable(name, {});
    if (node) frame.setAt(node, name, value);
    else frame.set(name, value);
    return true;
  }

  /** The value of a variable in the innermost table for variables. */
  getOwnVariable(name: string): Value | undefined {
    return this.#variableFrame().getOwn(name);
  }

  /**
   * Marks a variable in the innermost table for variables that holds a time: `onRead` is called
   * when code first reads the value, except through `findWatched`. False when reads cannot be
   * noticed.
   */
  watchVariable(name: string, reading: ClockReading, onRead: () => void): boolean {
    return this.#variableFrame().watch(name, reading, onRead);
  }

  /** The time in the variable that the unqualified `name` means; null for other variables. */
  findWatched(name: string): ClockReading | null {
    for (let frame: ScopeFrame | null = this.#frame; frame; frame = frame.parent) {
      const reading = frame.findWatched(name);
      if (reading || frame.hasOwn(name)) return reading;
    }
    return null;
  }

  /** Undoes the last `setVariable` of that name, for code that runs again from its start. */
  unsetVariable(name: string): void {
    this.#variableFrame().unset(name);
    this.#shared.qualified.clear();
  }

  // ---- frames

  /** Returns the newest frame, for `restore`. */
  mark(): ScopeFrame {
    return this.#frame;
  }

  restore(frame: ScopeFrame): void {
    this.#frame = frame;
  }

  pushLocal(variables?: Map<string, Value>): void {
    this.#frame = new LocalFrame(this.#frame, variables);
  }

  pushMatch(groups: MatchGroups): void {
    this.#frame = new MatchFrame(this.#frame, groups);
  }

  pushParameters(callee: string, names: readonly string[]): ParameterFrame {
    const frame = new ParameterFrame(this.#frame, callee, names);
    this.#frame = frame;
    return frame;
  }

  /** Runs `body` with `variables` in a new table. */
  withLocal<T>(variables: Map<string, Value>, body: () => T): T {
    const before = this.#frame;
    this.#frame = new LocalFrame(before, variables);
    try {
      return body();
    } finally {
      this.#frame = before;
    }
  }

  /**
   * Runs `body` in the node's scope or top scope; variables of blocks that run there are hidden.
   */
  withGlobalScope<T>(body: (scope: Scope) => T): T {
    const scope = this.globalScope;
    const before = scope.#frame;
    scope.#frame = scope.#table;
    try {
      return body(scope);
    } finally {
      scope.#frame = before;
    }
  }

  /** Returns `Scope(Class[main])`, the source of log lines. */
  toString(): string {
    return `Scope(${this.resource ?? ''})`;
  }

  #lookupInFrames(name: string): Value | undefined {
    for (let frame: ScopeFrame | null = this.#frame; frame; frame = frame.parent) {
      const value = frame.getOwn(name);
      if (value !== undefined) return value;
    }
    return this.kind === 'top' ? nodeVariable(this.context.node, name) : undefined;
  }

  #hasOwn(frame: ScopeFrame, name: string): boolean {
    return frame.hasOwn(name) || this.#isOfNode(frame, name);
  }

  #isOfNode(frame: ScopeFrame, name: string): boolean {
    return this.kind === 'top' && frame === this.#table && nodeVariable(this.context.node, name) !== undefined;
  }

  #variableFrame(): ScopeFrame {
    let frame: ScopeFrame = this.#frame;
    while (!frame.holdsVariables && frame.parent) frame = frame.parent;
    return frame;
  }

  #framesFromOldest(): readonly ScopeFrame[] {
    const frames: ScopeFrame[] = [];
    for (let frame: ScopeFrame | null = this.#frame; frame; frame = frame.parent) frames.push(frame);
    return frames.reverse();
  }

  #nextScope(): Scope | null {
    return this.#findInheritedScope() ?? this.#findEnclosingScope();
  }

  #findInheritedScope(): Scope | null {
    if (this.inherits === null) return null;
    const scope = this.classScope(this.inherits);
    if (!scope) throw new PuppetError(this.explainAbsence(`${this.inherits}::x`));
    return scope;
  }

  #findEnclosingScope(): Scope | null {
    let scope = this.parent;
    while (scope && scope.kind !== 'top' && scope.kind !== 'node') scope = scope.parent;
    return scope;
  }

  #lookupQualified(name: string): Value | undefined {
    const separator = name.lastIndexOf('::');
    if (separator < 0) return this.topScope.#lookupAtTop(name);
    const known = this.#shared.qualified.get(name);
    if (known !== undefined) return known;
    const className = name.slice(0, separator);
    const leaf = name.slice(separator + 2);
    const home = this.#shared.homes.get(className);
    const own = (home ? home.#table.getOwn(leaf) : undefined) ?? this.topScope.#table.getOwn(name) ?? null;
    if (own !== null) {
      this.#shared.qualified.set(name, own);
      return own;
    }
    const setting = this.#findSetting(name);
    if (setting !== undefined) return setting;
    const scope = this.classScope(className);
    if (!scope) return undefined;
    const value = scope.#lookupInFrames(leaf);
    if (value !== undefined) return value;
    const inherited = scope.#findInheritedScope();
    return inherited?.source ? this.#lookupQualified(`${inherited.source.name}::${leaf}`) : undefined;
  }

  /** The last name under which a qualified variable is looked for: that of an inherited class. */
  #findLastName(name: string): string {
    const separator = name.lastIndexOf('::');
    const scope = separator < 0 ? null : this.classScope(name.slice(0, separator));
    const inherited = scope ? scope.#findInheritedScope() : null;
    return inherited?.source ? this.#findLastName(`${inherited.source.name}::${name.slice(separator + 2)}`) : name;
  }

  #lookupAtTop(name: string): Value | undefined {
    const own = this.#table.getOwn(name);
    const value = own === undefined ? nodeVariable(this.context.node, name) : own;
    return value === undefined && (NUMERIC_NAME.test(name) || BUILT_IN_VARIABLES.has(name)) ? null : value;
  }

  #findSetting(name: string): Value | undefined {
    if (!name.startsWith(SETTINGS_PREFIX)) return undefined;
    const setting = name.slice(SETTINGS_PREFIX.length);
    this.#shared.settings ??= this.#shared.findSettings();
    const { settings } = this.#shared;
    if (setting === 'all_local' && settings.size > 0) {
      for (const [each, value] of settings) this.context.inputs.recordSetting(each, String(value));
      return PuppetHash.of(settings);
    }
    const value = settings.get(setting);
    if (value !== undefined) this.context.inputs.recordSetting(setting, String(value));
    return value;
  }

  /** Returns why a missing variable is missing, as in Puppet's message; '' without a reason. */
  explainAbsence(name: string): string {
    const separator = name.lastIndexOf('::');
    const className = separator > 0 ? name.slice(name.startsWith('::') ? 2 : 0, separator) : '';
    if (className === '') return '';
    if (!this.context.definitions.findClass(className)) return `class ${className} could not be found`;
    return this.classScope(className) ? '' : `class ${className} has not been evaluated`;
  }
}

function noTables(): SharedTables {
  const findSettings = () => new Map<string, Value>();
  return { classScopes: new Map(), homes: new Map(), qualified: new Map(), settings: null, findSettings };
}

function assertAssignable(name: string, { privileged }: SetVariableOptions): void {
  if (startsWithDigit(name) && /^[0-9]+$/.test(name)) {
    throw new PuppetError(ISSUES.NUMERIC_VARIABLE_NOT_ASSIGNABLE({ name }));
  }
  if (RESERVED_VARIABLES.has(name) && !privileged) throw createReservedNameError(name);
}

/** Creates the first scope of a compile: the scope outside classes, defines and nodes. */
export function createTopScope(context: CompileContext): Scope {
  return new Scope(context, null, { kind: 'top' });
}
