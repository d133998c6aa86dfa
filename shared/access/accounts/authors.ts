import { isJsonObject } from '../../util/json-object.ts';

/**
 * The user, or the deploy token, that set something that runs later. A setting by a certificate, or
 * by a command on the data directory, has none.
 */
export interface Author {
  /** A UUID; of a deploy token, its id. */
  readonly id: string;
  /** The login of the user, or the owner of the token. */
  readonly login: string;
  readonly isToken?: true;
}

/** The stored form of an author; null for none. */
export function readAuthor(stored: unknown): Author | null {
  const { id, login, isToken } = isJsonObject(stored) ? stored : {};
  if (typeof id !== 'string' || typeof login !== 'string') return null;
  return isToken === true ? { id, login, isToken } : { id, login };
}
