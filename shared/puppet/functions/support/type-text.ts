import type { CallSite } from '../../evaluator/ports.ts';
import type { PType } from '../../types/ptype.ts';
import { parseType } from '../../types/type-parser.ts';

/** Returns the type that a text names; types of modules are visible. */
export function typeFromText(site: CallSite, text: string): PType {
  return parseType(text, (name) => site.context.definitions.findType(name));
}
