import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { warnOnce } from './deprecation.ts';

interface HieraFunctionOptions {
  readonly merge: 'first' | 'unique' | 'hash';
  readonly afterwards?: (site: CallSite, key: string, value: Value) => Value;
}

interface Defaults {
  readonly value?: Value | undefined;
  readonly block?: Callable | null;
  readonly override?: Value | undefined;
}

/**
 * Defines a deprecated `hiera...` function: `(key)`, `(key, default, override)` or `([key, default,
 * override])`. A block may supply the default.
 */
export function defineHieraFunction(name: string, options: HieraFunctionOptions): PuppetFunction {
  const find = (site: CallSite, key: Value, defaults: Defaults): Value => {
    warnDeprecated(site, name);
    const value = site.context.lookup.lookup(site.scope, {
      names: [String(key)],
      valueType: null,
      merge: options.merge,
      defaultValue: defaults.value,
      defaultBlock: defaults.block ?? null,
      defaultValues: new PuppetHash(),
      override: new PuppetHash(),
      fromHieraFunction: true,
      locations: locationsOf(defaults.override ?? null),
    });
    return options.afterwards ? options.afterwards(site, String(key), value) : value;
  };
  return defineFunction(name, [
    {
      params: ['Tuple[String, Any, Any, 1, 3] args'],
      body: (site, [args]) => {
        const [key = null, value, override] = Array.isArray(args) ? args : [];
        return find(site, key, { value, override });
      },
    },
    { params: ['String key'], body: (site, [key = null]) => find(site, key, {}) },
    {
      params: ['String key', 'Any default', '?Any override'],
      body: (site, [key = null, value = null, override]) => find(site, key, { value, override }),
    },
    {
      params: ['String key'],
      block: 'Callable[1,1] default_block',
      body: (site, [key = null], block) => find(site, key, { block }),
    },
    {
      params: ['String key', 'Any override'],
      block: 'Callable[1,1] default_block',
      body: (site, [key = null, override], block) => find(site, key, { override, block }),
    },
  ]);
}

function locationsOf(override: Value): readonly string[] {
  if (override === null) return [];
  return Array.isArray(override) ? override.map(String) : [String(override)];
}

function warnDeprecated(site: CallSite, name: string): void {
  if (site.context.settings.strict === 'off') return;
  const message = `The function '${name}' is deprecated in favor of using 'lookup'. See ${site.context.language.hieraFunctionsPage}`;
  warnOnce(site, name, message);
}
