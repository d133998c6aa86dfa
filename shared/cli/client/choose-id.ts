import { describeAmbiguousId, matchIds } from '../../util/short-id.ts';
import { ClientError } from './client-error.ts';

/**
 * The only id that is `given`, or begins so. Throws ClientError when there is none, or several,
 * which it names; `kind` is the noun for what has the id.
 */
export function chooseId(ids: Iterable<string>, given: string, kind: string): string {
  const [found, ...others] = matchIds(ids, given);
  if (found === undefined) throw new ClientError(`there is no ${kind} '${given}'`);
  if (others.length > 0) throw new ClientError(describeAmbiguousId(given, [found, ...others]));
  return found;
}
