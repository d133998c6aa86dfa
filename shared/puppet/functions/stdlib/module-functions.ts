/** puppetlabs-stdlib's functions for modules, facts and the compile. */

import { mergeSort } from '../../../util/merge-sort.ts';
import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import { parseRubyInteger } from '../../ruby-core/ruby-integer.ts';
import { splitCharacters } from '../../ruby-core/ruby-string.ts';
import { compareVersions } from '../../ruby-core/version-compare.ts';
import { parseJson } from '../../serialization/json.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { digInto } from '../collections/dig.ts';
import { compareNaturally } from '../support/ruby-order.ts';
import { checkCount, defineValueFunction, refuse } from './legacy-value-function.ts';
import { rewrapSensitive } from './sensitive-data.ts';
import { warnDeprecated } from './stdlib-deprecation.ts';

function modulePath(site: CallSite, name: Value): string {
  const { environment } = site.context;
  const module = environment.findModule(rubyToS(name));
  return module?.root ?? refuse(`Could not find module ${rubyToS(name)} in environment ${environment.name}`);
}

export const getModulePath = defineValueFunction('get_module_path', (args, site) => {
  const [name = null] = args;
  return args.length === 1
    ? modulePath(site, name)
    : refuse('get_module_path(): Wrong number of arguments, expects one');
});

export const loadModuleMetadata = defineValueFunction('load_module_metadata', (args, site) => {
  const [name = null, allowMissing = null] = args;
  if (args.length < 1 || args.length > 2) {
    return refuse('load_module_metadata(): Wrong number of arguments, expects one or two');
  }
  const text = site.context.environment.readText(`${modulePath(site, name)}/metadata.json`);
  if (text !== null) return parseJson(text);
  if (allowMissing !== null && allowMissing !== false) return new PuppetHash();
  return refuse(`load_module_metadata(): No metadata.json file for module ${rubyToS(name)}`);
});

export const assertPrivate = defineLegacyFunction('assert_private', {
  arity: -1,
  rvalue: false,
  body: (site, args) => {
    if (args.length > 1) {
      return refuse(`assert_private(): Wrong number of arguments given (${args.length}}) for 0 or 1)`);
    }
    const { scope } = site;
    if (scope.lookupVariable('module_name') === scope.lookupVariable('caller_module_name')) return null;
    const [message] = args;
    if (typeof message === 'string') return refuse(message);
    const kind = scope.source?.kind === 'class' ? 'Class' : 'Definition';
    return refuse(`${kind} ${scope.source?.name ?? ''} is private`);
  },
});

/**
 * Defines `deprecation`. `parameters` follow the key and the message: stdlib 9 has one that says
 * whether the setting `strict` applies.
 */
export function defineDeprecation(parameters: readonly string[]): PuppetFunction {
  return defineFunction('deprecation', {
    dispatches: [
      {
        params: ['String key', 'String message', ...parameters],
        body: (site, [key, message, strict]) => warnDeprecated(site, String(key), String(message), strict === false),
      },
    ],
  });
}

function factsOf(site: CallSite): Value {
  return site.scope.lookupVariable('facts') ?? null;
}

export const fact = defineFunction('fact', {
  dispatches: [
    {
      params: ['String fact_name'],
      body: (site, [name]) => {
        const path = [...String(name).matchAll(/([^."]+)|"([^"]+)"/g)].map(
          ([, plain, quoted]) => plain ?? quoted ?? '',
        );
        return path.reduce<Value>(
          (value, key, index) => step(site, String(name), value, key, path.slice(0, index)),
          factsOf(site),
        );
      },
    },
  ],
});

function step(site: CallSite, name: string, value: Value, key: string, walked: readonly string[]): Value {
  if (value === null) return null;
  if (value instanceof PuppetHash) return value.get(key) ?? null;
  const where = walked.map((segment) => (segment.includes('.') ? `"${segment}"` : segment)).join('.');
  const index = Array.isArray(value) ? parseRubyInteger(key) : null;
  if (Array.isArray(value) && index !== null) return value.at(Number(index)) ?? null;
  const problem = Array.isArray(value)
    ? `'${where}' is an array; cannot index to '${key}'`
    : `'${where}' is not a collection; cannot walk to '${key}'`;
  site.context.log.add({ level: 'warning', message: `fact request for ${name} returning nil: ${problem}` });
  return null;
}

/**
 * Whether the node's operating system has at least a version, read from the facts at `namePath` and
 * `versionPath`.
 */
export function defineOsVersionGte(
  name: string,
  namePath: readonly string[],
  versionPath: readonly string[],
): PuppetFunction {
  return defineFunction(name, {
    dispatches: [
      {
        params: ['String[1] os', 'String[1] version'],
        returns: 'Boolean',
        body: (site, [os, version]) => {
          const facts = factsOf(site);
          if (digInto(facts, namePath) !== os) return false;
          return compareVersions(rubyToS(digInto(facts, versionPath)), String(version)) >= 0;
        },
      },
    ],
  });
}

/** Whether a function of that name exists. */
export const isFunctionAvailable = defineValueFunction('is_function_available', (args, site) => {
  const message = `is_function_available?(): Wrong number of arguments given ${args.length} for 1`;
  checkCount('is_function_available', args, 1, 1, message);
  const [name] = args;
  return typeof name === 'string' && site.context.definitions.findFunction(name) !== null;
});

export const hasFunction = defineFunction('stdlib::has_function', {
  dispatches: [
    {
      params: ['String[1] function_name'],
      returns: 'Boolean',
      body: (site, [name]) => site.context.definitions.findFunction(String(name)) !== null,
    },
  ],
});

export const rewrapSensitiveData = defineFunction('stdlib::rewrap_sensitive_data', {
  dispatches: [
    {
      params: ['Any data'],
      block: '?Callable[Any] block',
      returns: 'Any',
      body: (_, [data = null], block) => rewrapSensitive(data, (plain) => (block ? block.call(plain) : plain)),
    },
  ],
});

/** Sorts values by the result of `keyOf`. */
function sortByKey(values: readonly Value[], keyOf: (value: Value) => Value): Value[] {
  const keyed: Value[] = values.map((value) => [keyOf(value), value]);
  const keyIn = (pair: Value): Value => (Array.isArray(pair) ? (pair[0] ?? null) : null);
  const sorted = mergeSort(keyed, (left, right) => compareNaturally(keyIn(left), keyIn(right)));
  return sorted.map((pair) => (Array.isArray(pair) ? (pair[1] ?? null) : null));
}

export const sortBy = defineFunction('stdlib::sort_by', {
  dispatches: [
    {
      params: ['Array ary'],
      block: 'Callable[1,1] block',
      body: (_, [array], block) => sortByKey(Array.isArray(array) ? array : [], (value) => block?.call(value) ?? null),
    },
    {
      params: ['String str'],
      block: 'Callable[1,1] block',
      body: (_, [text], block) =>
        sortByKey(splitCharacters(String(text)), (value) => block?.call(value) ?? null).join(''),
    },
    {
      params: ['Hash hsh'],
      block: 'Variant[Callable[1,1], Callable[2,2]] block',
      body: (_, [hash], block) => {
        const pairs: Value[] = hash instanceof PuppetHash ? Array.from(hash, ([key, value]) => [key, value]) : [];
        const both = block?.arity[0] === 2;
        const sorted = sortByKey(
          pairs,
          (pair) => (both && Array.isArray(pair) ? block?.call(...pair) : block?.call(pair)) ?? null,
        );
        return PuppetHash.of(
          sorted.map((pair) => (Array.isArray(pair) ? [pair[0] ?? null, pair[1] ?? null] : [null, null])),
        );
      },
    },
  ],
});
