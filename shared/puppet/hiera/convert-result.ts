import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError } from '../errors/lookup-error.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { displayString } from '../types/format/string-converter.ts';
import { parseType } from '../types/type-parser.ts';
import type { PuppetHash } from '../types/values/puppet-hash.ts';
import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';
import type { Invocation } from './invocation.ts';
import type { LookupKey } from './lookup-key.ts';

/**
 * Converts a found value as the `convert_to` of lookup_options says: to a type, or by `new` of the
 * type with further arguments.
 */
export function convertResult(key: LookupKey, value: Value, options: PuppetHash | null, invocation: Invocation): Value {
  const convertTo = options?.get('convert_to') ?? null;
  if (convertTo === null) return value;
  const [target = null, ...args]: readonly Value[] = isArray(convertTo) ? convertTo : [convertTo];
  const type = typeof target === 'string' ? readType(key, target) : target;
  const { scope } = invocation;
  try {
    const converted = scope.context.evaluator.callFunction('new', [type, value, ...args], scope, null);
    invocation.explainer?.noteText(
      `Applying convert_to lookup_option with arguments ${displayString([type, ...args])}`,
    );
    return converted;
  } catch (error) {
    if (!(error instanceof PuppetError)) throw error;
    throw new LookupError(ISSUES.CONVERT_TO_FAILED({ key: String(key), detail: error.message }));
  }
}

function readType(key: LookupKey, text: string): Value {
  try {
    return parseType(text);
  } catch (error) {
    if (!(error instanceof PuppetError)) throw error;
    throw new LookupError(ISSUES.CONVERT_TO_TYPE_INVALID({ key: String(key), text, detail: error.message }));
  }
}
