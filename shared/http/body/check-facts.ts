import { parseJsonInSteps, printJson } from '../../puppet/serialization/json.ts';
import { TooManyValues } from '../../puppet/types/format/json-reader.ts';
import { runAtOnce } from '../../util/in-steps.ts';
import { BODIES, BodyRefused } from './body-kinds.ts';

/** Texts of more characters are checked here; others by who parses them. */
export const LONG_TEXT = 64 * 1024;
/** Characters of an error that are kept. */
const SHOWN = 200;

/**
 * Checks a long text with facts as Ruby's parser reads JSON, and returns the same without white
 * space and comments, so that who parses it does nothing that is long for its number of values. A
 * short text is returned as it is. Throws BodyRefused.
 */
export function checkFacts(text: string): string {
  if (text.length <= LONG_TEXT) return text;
  try {
    return printJson(runAtOnce(parseJsonInSteps(text, BODIES.facts.values)));
  } catch (error) {
    if (error instanceof TooManyValues) throw new BodyRefused('too-many-values', error.message);
    const reason = (error instanceof Error ? error.message : String(error)).slice(0, SHOWN);
    const rest = /unexpected token at '([\s\S]{0,60})/.exec(reason)?.[1] ?? text.slice(0, 60);
    throw new BodyRefused('not-json', `The facts are not JSON: ${reason}`, { reason, rest, start: '' });
  }
}
