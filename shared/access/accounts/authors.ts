import { isJsonObject } from '../../util/json-object.ts';

/**
 * The user who set something that runs later. What a command on the data directory, a certificate
 * or a deploy token sets has none.
 */
export interface Author {
  /** A UUID. */
  readonly id: string;
  readonly login: string;
}

/** The stored form of an author; null for none. */
export function readAuthor(stored: unknown): Author | null {
  const { id, login } = isJsonObject(stored) ? stored : {};
  return typeof id === 'string' && typeof login === 'string' ? { id, login } : null;
}
