import type { ParameterSetting } from '../catalog/resource.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Scope } from '../evaluator/scope.ts';
import { rubyEquals } from '../types/equality.ts';
import type { Value } from '../types/values/values.ts';

/**
 * Resource defaults: `File { mode => '0644' }`. They apply to resources declared in the scope, and
 * in scopes that its code opens, for parameters that are not set. Puppet: Scope#define_settings,
 * #lookupdefaults, #is_default?
 */
export class ResourceDefaults {
  readonly #byScope = new WeakMap<Scope, Map<string, Map<string, ParameterSetting>>>();
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
    const chain: Map<string, ParameterSetting>[] = [];
    for (let at: Scope | null = scope; at; at = at.parent) {
      const table = this.#byScope.get(at)?.get(type);
      if (table) chain.push(table);
    }
    if (chain.length <= 1) return chain[0] ?? NONE;
    const all = new Map<string, ParameterSetting>();
    for (const table of chain.reverse()) for (const [name, parameter] of table) all.set(name, parameter);
    return all;
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

const NONE: ReadonlyMap<string, ParameterSetting> = new Map();
