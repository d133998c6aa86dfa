import type { ParameterSetting } from '../catalog/resource.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { ReplacedDefaults } from '../evaluator/ruby-port.ts';
import type { Scope } from '../evaluator/scope.ts';
import { rubyEquals } from '../types/equality.ts';
import type { Value } from '../types/values/values.ts';
import type { DeclaredResource } from './declared-resource.ts';

/**
 * Resource defaults: `File { mode => '0644' }`. They apply to resources declared in the scope, and
 * in scopes that its code opens, for parameters that are not set. Puppet: Scope#define_settings,
 * #lookupdefaults, #is_default?
 */
export class ResourceDefaults {
  readonly #byScope = new WeakMap<Scope, Map<string, Map<string, ParameterSetting>>>();
  readonly #replaced = new Map<Scope, (type: string) => ReplacedDefaults>();
  /** The scopes whose replacement runs now. */
  readonly #asked = new Set<Scope>();
  #isEmpty = true;

  /**
   * Sets defaults. Throws when the scope already has a default for one of the parameters. `type` is
   * capitalised.
   */
  define(scope: Scope, type: string, parameters: readonly ParameterSetting[]): void {
    this.#isEmpty = false;
    const types = this.#byScope.get(scope) ?? new Map<string, Map<string, ParameterSetting>>();
    this.#byScope.set(scope, types);
    const table = types.get(type) ?? new Map<string, ParameterSetting>();
    types.set(type, table);
    for (const parameter of parameters) {
      if (table.has(parameter.name)) {
        const { file, line } = parameter;
        throw new PuppetError(ISSUES.DEFAULT_ALREADY_DEFINED({ type, parameter: parameter.name }), { file, line });
      }
      table.set(parameter.name, parameter);
    }
  }

  /**
   * Returns all defaults in force in `scope`. Outer scopes come first; inner ones replace them in
   * place.
   */
  inForce(scope: Scope, type: string): ReadonlyMap<string, ParameterSetting> {
    if (this.#isEmpty) return NONE;
    const chain: ReadonlyMap<string, ParameterSetting>[] = [];
    for (let at: Scope | null = scope; at; at = at.parent) {
      const replaced = this.#askReplacement(at, type);
      const table = replaced ?? this.#byScope.get(at)?.get(type);
      if (table) chain.push(table);
      if (replaced) break;
    }
    if (chain.length <= 1) return chain[0] ?? NONE;
    const all = new Map<string, ParameterSetting>();
    for (const table of chain.reverse()) for (const [name, parameter] of table) all.set(name, parameter);
    return all;
  }

  /** Sets the parameters of a resource that have a default in its scope and no value. */
  apply(resource: DeclaredResource): void {
    for (const [name, parameter] of this.inForce(resource.scope, resource.type)) {
      if (!resource.parameters.has(name)) resource.set(parameter);
    }
  }

  /**
   * From now on `lookUp` gives the defaults in force in `scope` and in the scopes that its code
   * opens. While it runs, it sees those without itself.
   */
  replace(scope: Scope, lookUp: (type: string) => ReplacedDefaults): void {
    this.#isEmpty = false;
    this.#replaced.set(scope, lookUp);
  }

  #askReplacement(scope: Scope, type: string): ReadonlyMap<string, ParameterSetting> | null {
    const lookUp = this.#replaced.get(scope);
    if (!lookUp || this.#asked.has(scope)) return null;
    this.#asked.add(scope);
    try {
      const { values, entered } = lookUp(type);
      const settings = new Map([...values].map(([name, value]) => [name, createSetting(name, value)]));
      const types = this.#byScope.get(scope) ?? new Map<string, Map<string, ParameterSetting>>();
      this.#byScope.set(scope, types);
      const own = entered.flatMap((name) => settings.get(name) ?? []);
      types.set(type, new Map([...(types.get(type) ?? []), ...own.map((one) => [one.name, one] as const)]));
      return settings;
    } finally {
      this.#asked.delete(scope);
    }
  }

  /** Whether `value` is the default of that parameter in `scope` or an outer scope. */
  isDefault(scope: Scope, type: string, name: string, value: Value): boolean {
    for (let at: Scope | null = scope; at; at = at.parent) {
      const parameter = this.#byScope.get(at)?.get(type)?.get(name);
      if (parameter && rubyEquals(value, parameter.value)) return true;
    }
    return false;
  }
}

function createSetting(name: string, value: Value): ParameterSetting {
  return { name, value, unit: null, append: false, file: undefined, line: undefined };
}

const NONE: ReadonlyMap<string, ParameterSetting> = new Map();
