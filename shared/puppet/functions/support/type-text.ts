import type { CallSite } from '../../evaluator/ports.ts';
import type { PType } from '../../types/ptype.ts';
import { parseType } from '../../types/type-parser.ts';

/** The type that a text names, with the types of modules in sight. */
export function typeFromText(site: CallSite, text: string): PType {
  return parseType(text, (name) => site.context.definitions.findType(name));
}
