import type { DocumentStore } from '../../store/ports/document-store.ts';
import type { InventoryCommand } from '../commands/apply-command.ts';

const COLLECTION = 'puppetdb-dead-letters';
/** The oldest are deleted beyond this. */
const MOST_LETTERS = 1000;
const LONGEST_REASON = 2000;

/**
 * Keeps which commands PuppetDB did not take and why, not their payloads: the stores have facts,
 * catalogs and reports.
 */
export async function keepDeadLetter(
  { command, version, certname }: InventoryCommand,
  reason: string,
  at: number,
  documents: Pick<DocumentStore, 'put' | 'countKeys' | 'list' | 'delete'>,
): Promise<void> {
  const time = new Date(at).toISOString();
  const letter = { command, version, certname, reason: reason.slice(0, LONGEST_REASON), time };
  await documents.put(COLLECTION, `${time} ${certname} ${command}`, letter);
  const count = await documents.countKeys(COLLECTION, 2 * MOST_LETTERS);
  if (count <= MOST_LETTERS) return;
  for (const { key } of await documents.list(COLLECTION, '', count - MOST_LETTERS)) {
    await documents.delete(COLLECTION, key);
  }
}
