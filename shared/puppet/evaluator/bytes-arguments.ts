/** Calls with texts that Ruby keeps as bytes. */
import { BytesText, plainText } from '../types/values/bytes-text.ts';
import type { Value } from '../types/values/values.ts';
import { SensitiveType } from '../types/wrapper-types.ts';
import type { PuppetFunction } from './ports.ts';
import { PuppetLanguageFunction } from './puppet-function.ts';

/** Functions that hand on what they get, without a look at texts. */
const HANDING_ON: ReadonlySet<string> = new Set(
  `all any call concat create_resources delete_undef_values dig each ensure_resource ensure_resources filter flatten getvar hiera
  lest lookup map merge pick pick_default reduce reverse_each then unwrap with`.split(/\s+/),
);

/** Functions whose text is kept as the one that they get is. */
const KEEPING: ReadonlySet<string> = new Set(
  'capitalize chomp chop downcase lstrip regsubst rstrip strip swapcase upcase'.split(' '),
);

export function isBytesText(value: Value): boolean {
  return value instanceof BytesText;
}

/**
 * Calls a function with arguments of which some are texts of bytes: it gets Strings, unless it
 * passes on what it gets.
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
