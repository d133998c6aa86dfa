import type { ChangeConsumer } from '../../store/follow-changes.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';

/** Where the pass of each inventory is; an inventory without a document is new. */
const COLLECTION = 'inventory-passes';

/** Has the next pass begin anew, because changes were lost. */
export async function requestPass(documents: DocumentStore, { name }: Pick<ChangeConsumer, 'name'>): Promise<void> {
  await documents.put(COLLECTION, name, { mark: '' });
}

/**
 * Continues the consumer's pass over all nodes if one is due, while `hasTime`. Returns whether it
 * is complete. A pass that was requested meanwhile begins with the next call.
 */
export async function continueScheduledPass(
  documents: DocumentStore,
  consumer: Pick<ChangeConsumer, 'name' | 'continuePass'>,
  hasTime: () => boolean,
): Promise<boolean> {
  const found = await documents.get(COLLECTION, consumer.name);
  if (found === null) await documents.create(COLLECTION, consumer.name, { mark: '' });
  let stored: StoredDocument = found ?? { mark: '' };
  while (stored.mark !== null && hasTime()) {
    const next: StoredDocument = { mark: await consumer.continuePass(String(stored.mark)) };
    if (!(await documents.replace(COLLECTION, consumer.name, stored, next))) return false;
    stored = next;
  }
  return stored.mark === null;
}
