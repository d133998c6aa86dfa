import type { Definitions } from '../evaluator/ports.ts';
import { LegacyResourceReference } from '../evaluator/resource-reference.ts';
import { parseTitle } from '../evaluator/title-patterns.ts';
import { ResourceType } from '../types/catalog-types.ts';
import type { Value } from '../types/values/values.ts';
import { referenceText } from './references.ts';

/**
 * Returns the catalog text of a value that refers to a resource; null for other values. Throws for
 * a title that is invalid for the type.
 */
export function catalogReferences(definitions: Definitions): (value: Value) => string | null {
  return (value) => {
    if (value instanceof LegacyResourceReference) return String(value);
    const text = referenceText(value);
    if (text === null || !(value instanceof ResourceType) || value.lowerName === null) return text;
    const native = definitions.findResourceType(value.lowerName);
    if (native?.titlePatterns) parseTitle(native, value.title ?? '');
    return text;
  };
}
