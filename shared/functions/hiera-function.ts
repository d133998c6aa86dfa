import { defineFunction } from '../evaluator/native-function.ts';
import type { Callable, CallSite, PuppetFunction } from '../evaluator/ports.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import type { Value } from '../types/values.ts';

/** How Puppet's own messages name the documentation of its version. */
const DOCUMENTED_VERSION = '8.10';

interface HieraFunctionOptions {
  readonly merge: 'first' | 'unique' | 'hash';
  readonly afterwards?: (site: CallSite, key: string, value: Value) => Value;
}

/** The deprecated `hiera...` functions: `(key)`, `(key, default, override)`, `([key, default, override])`, with a block for a default. */
export function defineHieraFunction(name: string, options: HieraFunctionOptions): PuppetFunction {
  const find = (site: CallSite, key: Value, defaultValue: Value | undefined, block: Callable | null): Value => {
    warnDeprecated(site, name);
    const value = site.context.lookup.lookup(site.scope, {
      names: [String(key)],
      valueType: null,
      merge: options.merge,
      defaultValue,
      defaultBlock: block,
      defaultValues: new PuppetHash(),
      override: new PuppetHash(),
      fromHieraFunction: true,
    });
    return options.afterwards ? options.afterwards(site, String(key), value) : value;
  };
  return defineFunction(name, {
    dispatches: [
      {
        params: ['Tuple[String, Any, Any, 1, 3] args'],
        body: (site, [args]) => {
          const [key = null, defaultValue] = Array.isArray(args) ? args : [];
          return find(site, key, defaultValue, null);
        },
      },
      { params: ['String key'], body: (site, [key = null]) => find(site, key, undefined, null) },
      {
        params: ['String key', 'Any default', '?Any override'],
        body: (site, [key = null, defaultValue = null]) => find(site, key, defaultValue, null),
      },
      {
        params: ['String key'],
        block: 'Callable[1,1] default_block',
        body: (site, [key = null], block) => find(site, key, undefined, block),
      },
      {
        params: ['String key', 'Any override'],
        block: 'Callable[1,1] default_block',
        body: (site, [key = null], block) => find(site, key, undefined, block),
      },
    ],
  });
}

function warnDeprecated(site: CallSite, name: string): void {
  if (site.context.settings.strict === 'off') return;
  const message =
    `The function '${name}' is deprecated in favor of using 'lookup'. ` +
    `See https://puppet.com/docs/puppet/${DOCUMENTED_VERSION}/deprecated_language.html`;
  site.context.log.once(name, { level: 'warning', message: `${message}\n   (file & line not available)` });
}
