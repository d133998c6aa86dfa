/** Calls functions with arguments that are byte strings (texts that Ruby keeps as bytes). */
import { BytesText, plainText } from '../types/values/bytes-text.ts';
import type { Value } from '../types/values/values.ts';
import { SensitiveType } from '../types/wrapper-types.ts';
import type { PuppetFunction } from './ports.ts';
import { PuppetLanguageFunction } from './puppet-function.ts';

/** Functions that pass their arguments on without reading texts. */
const HANDING_ON: ReadonlySet<string> = new Set(
  `all any call concat create_resources delete_undef_values dig each ensure_resource ensure_resources filter flatten getvar hiera
  lest lookup map merge pick pick_default reduce reverse_each then unwrap with`.split(/\s+/),
);

/** Functions whose result is a byte string when their argument is one. */
const KEEPING: ReadonlySet<string> = new Set(
  'capitalize chomp chop downcase lstrip regsubst rstrip strip swapcase upcase'.split(' '),
);

export function isBytesText(value: Value): boolean {
  return value instanceof BytesText;
}

/**
 * Calls a function with arguments that include byte strings. The function receives Strings, unless
 * it only passes its arguments on.
 */
export function callWithBytes(
  found: PuppetFunction,
  args: readonly Value[],
  call: (args: readonly Value[]) => Value,
): Value {
  const { name } = found;
  if (HANDING_ON.has(name) || found instanceof PuppetLanguageFunction) return call(args);
  if (name === 'new' && args[0] instanceof SensitiveType) return call(args);
  const result = call(args.map(plainText));
  return KEEPING.has(name) && args[0] instanceof BytesText && typeof result === 'string'
    ? new BytesText(result)
    : result;
}
