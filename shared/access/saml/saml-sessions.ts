import { allDocuments } from '../../store/list-pages.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import type { SamlSession } from './saml-assertion.ts';

/** Sessions at the provider, by the digests of the tokens of sessions here. */
const SESSIONS = 'access-saml-sessions';

/** The sessions at the identity provider, which a log-out here ends there, too. */
export class SamlSessions {
  readonly #documents: DocumentStore;

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  /** Keeps a session until its token ends, in milliseconds since 1970. */
  async keep({ nameId, format, index }: SamlSession, digest: string, expiresAt: number): Promise<void> {
    await this.#documents.put(SESSIONS, digest, { nameId, format, index, expiresAt }, expiresAt);
  }

  /** Takes the session of a token out; null for a token of another origin. */
  async take(digest: string): Promise<SamlSession | null> {
    const stored = await this.#documents.get(SESSIONS, digest);
    if (stored === null) return null;
    await this.#documents.delete(SESSIONS, digest);
    const { nameId, format, index } = stored;
    const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
    return { nameId: String(nameId), format: textOf(format), index: textOf(index) };
  }
}

/** Deletes sessions whose tokens have ended. */
export async function pruneSamlSessions(documents: DocumentStore, now: number): Promise<void> {
  for await (const { key, document } of allDocuments(documents, SESSIONS))
    if (Number(document.expiresAt) <= now) await documents.delete(SESSIONS, key);
}
