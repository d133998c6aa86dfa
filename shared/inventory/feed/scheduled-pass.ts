import type { ChangeConsumer } from '../../store/follow-changes.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';

/** Documents with the place of each inventory's pass; an inventory without one is new. */
const COLLECTION = 'inventory-passes';
/** A pass is due so long after the last one: streams drop changes, and nothing says which. */
const PASS_MS = DAY_MS;
const LOOK_MS = 3600_000;

/** Has the next pass begin anew, because changes were lost. */
export async function requestPass(documents: DocumentStore, { name }: Pick<ChangeConsumer, 'name'>): Promise<void> {
  await documents.put(COLLECTION, name, { mark: '' });
}

/**
 * Continues the consumer's pass over all nodes, while `hasTime`. One is due once a day, and when it
 * was requested. Returns whether it is complete. A pass that was requested meanwhile begins with
 * the next call.
 */
export async function continueScheduledPass(
  { documents, clock }: Pick<Stores, 'documents' | 'clock'>,
  consumer: Pick<ChangeConsumer, 'name' | 'continuePass'>,
  hasTime: () => boolean,
): Promise<boolean> {
  const found = await documents.get(COLLECTION, consumer.name);
  if (found === null) await documents.create(COLLECTION, consumer.name, { mark: '' });
  let stored: StoredDocument = found ?? { mark: '' };
  if (stored.mark === null && clock.now() - Number(stored.ended ?? 0) < PASS_MS) return true;
  do {
    if (!hasTime()) return false;
    const mark = await consumer.continuePass(String(stored.mark ?? ''));
    const next: StoredDocument = mark === null ? { mark, ended: clock.now() } : { mark };
    if (!(await documents.replace(COLLECTION, consumer.name, stored, next))) return false;
    stored = next;
  } while (stored.mark !== null);
  return true;
}

/**
 * Looks once an hour whether a pass is due, until the signal. The first one is due a day after the
 * consumer was new: its log of changes had it pass over all nodes then. A pass brings what could
 * not be read when it changed.
 */
export async function keepPassing(
  { documents, clock }: Pick<Stores, 'documents' | 'clock'>,
  consumer: Pick<ChangeConsumer, 'name' | 'continuePass'>,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const pass = async () => {
    await documents.create(COLLECTION, consumer.name, { mark: null, ended: clock.now() });
    await continueScheduledPass({ documents, clock }, consumer, () => !signal.aborted);
  };
  while (!signal.aborted) {
    await pass().catch(onFailure);
    await clock.sleep(LOOK_MS, signal);
  }
}
