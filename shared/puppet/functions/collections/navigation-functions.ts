import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import { splitDottedKey } from '../../ruby-core/dotted-key.ts';
import { inspectRuby } from '../../types/format/ruby-text.ts';
import { infer } from '../../types/inference.ts';
import { ObjectType } from '../../types/objects/object-type.ts';
import { PuppetObject } from '../../types/objects/puppet-object.ts';
import { parseType } from '../../types/type-parser.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { NavigationError } from '../support/navigation-error.ts';

/** Walks into nested collections; returns undef at the first missing step. */
const dig = defineFunction('dig', {
  params: ['Optional[Collection] data', '*Any arg'],
  body: (_, [data = null, ...path]) => digInto(data, path),
});

function digInto(data: Value, path: readonly Value[]): Value {
  let current = data;
  for (const [index, key] of path.entries()) {
    if (current === null || key === null) return null;
    current = step(current, key, path.slice(0, index));
  }
  return current;
}

function step(current: Value, key: Value, walked: readonly Value[]): Value {
  if (current instanceof PuppetHash) return current.get(key) ?? null;
  if (!Array.isArray(current)) {
    const type = infer(current);
    const message = `The given data does not contain a Collection at ${inspectRuby([...walked])}, got '${type}'`;
    throw new NavigationError(message, 'EXPECTED_COLLECTION', [
      ['walked_path', [...walked]],
      ['value_type', type],
    ]);
  }
  if (typeof key === 'bigint') return current.at(Number(key)) ?? null;
  const type = infer(key);
  const path = [...walked, key];
  const message = `The given data requires an Integer index at ${inspectRuby(path)}, got '${type}'`;
  throw new NavigationError(message, 'EXPECTED_INTEGER_INDEX', [
    ['walked_path', path],
    ['index_type', type],
  ]);
}

function getFrom(site: CallSite, value: Value, path: string, defaultValue: Value, block: Callable | null): Value {
  if (value === null) return defaultValue;
  if (path === '') return value;
  const segments = splitDottedKey(`x.${path}`);
  if (segments === null) throw new PuppetError(ISSUES.NAVIGATION_SYNTAX_ERROR());
  try {
    return dig.call(site, [value, ...segments.slice(1)], null) ?? defaultValue;
  } catch (error) {
    if (block && error instanceof NavigationError) return block.call(errorValue(error));
    throw error;
  }
}

// Puppet: the details contain types, which a caller of Error.new cannot pass.
function errorValue(error: NavigationError): Value {
  const type = parseType('Error');
  if (!(type instanceof ObjectType)) return null;
  const attributes = new Map<string, Value>([
    ['msg', error.basic],
    ['kind', error.kind],
    ['details', PuppetHash.of(error.details)],
    ['issue_code', error.issue],
  ]);
  return new PuppetObject(type, attributes);
}

function navigate(site: CallSite, text: string, defaultValue: Value, block: Callable | null): Value {
  const [, name = '', rest = ''] = /^((?:::)?(?:\w+::)*\w+)(.*)$/s.exec(text) ?? [];
  if (rest !== '' && !rest.startsWith('.')) {
    throw new PuppetError(ISSUES.NAVIGATION_WITHOUT_DOT({ actual: String(rest[0]) }));
  }
  const value = site.scope.lookupVariable(name);
  if (value === undefined) return defaultValue;
  return getFrom(site, value, rest.slice(1), defaultValue, block);
}

/** The functions that walk into nested collections. */
export const NAVIGATION_FUNCTIONS: readonly PuppetFunction[] = [
  dig,
  /** Walks into a value along a dotted path: `$facts.get('os.release.major')`. */
  defineFunction('get', {
    params: ['Any value', 'String dotted_string', '?Any default_value'],
    block: '?Callable[1,1] block',
    body: (site, [value = null, path, defaultValue = null], block) =>
      getFrom(site, value, String(path), defaultValue, block),
  }),
  /**
   * Returns a variable's value by name, or the value at the dotted path behind it; the default when
   * there is none.
   */
  defineFunction(
    'getvar',
    {
      params: ['Pattern[/\\A(?:::)?(?:[a-z]\\w*::)*[a-z_]\\w*(?:\\.|\\Z)/] get_string', '?Any default_value'],
      block: '?Callable[1,1] block',
      body: (site, [path, defaultValue = null], block) => navigate(site, String(path), defaultValue, block),
    },
    {
      mismatches: [
        {
          params: ['String get_string', '?Any default_value'],
          block: '?Callable block',
          message: () => 'The given string does not start with a valid variable name',
        },
      ],
    },
  ),
];
