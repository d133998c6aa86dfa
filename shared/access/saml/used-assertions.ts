import { allDocuments } from '../../store/list-pages.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import { digestSha256 } from '../../util/digest.ts';

/** Assertions that logged somebody in, by the digest of their issuer and their id. */
const USED = 'access-saml-assertions';

/**
 * Notes that an assertion was used, until it counts no more. Of several calls for one assertion, on
 * all servers over the store, one gets true. Only what a provider signed gets here, which bounds
 * the rows.
 */
export async function useAssertion(
  documents: DocumentStore,
  { issuer, id, expiresAt }: { readonly issuer: string; readonly id: string; readonly expiresAt: number },
): Promise<boolean> {
  const key = digestSha256(JSON.stringify([issuer, id]));
  if (!(await documents.create(USED, key, { expiresAt }))) return false;
  // Only this call lets the store delete it.
  await documents.put(USED, key, { expiresAt }, expiresAt);
  return true;
}

/** Deletes what is noted of assertions that count no more. */
export async function pruneUsedAssertions(documents: DocumentStore, now: number): Promise<void> {
  for await (const { key, document } of allDocuments(documents, USED))
    if (Number(document.expiresAt) <= now) await documents.delete(USED, key);
}
