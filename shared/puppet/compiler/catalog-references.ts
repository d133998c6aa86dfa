import type { Definitions } from '../evaluator/ports.ts';
import { LegacyResourceReference } from '../evaluator/resource-reference.ts';
import { parseTitle } from '../evaluator/title-patterns.ts';
import { ResourceType } from '../types/catalog-types.ts';
import type { Value } from '../types/values/values.ts';
import { referenceText } from './references.ts';

/**
 * How values that refer to resources are written in a catalog; throws for a title that can't be one
 * of the type.
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
