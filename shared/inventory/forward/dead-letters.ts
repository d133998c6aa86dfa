import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';

/**
 * A document that a receiver did not take, and the reason. The stores have the facts, catalogs and
 * reports.
 */
export interface ForwardLetter {
  readonly id: string;
  /** The option that names the receiver. */
  readonly target: LetterTarget;
  /** Empty for an alert. */
  readonly certname: string;
  /** PuppetDB's name of the command; a report is `store report`, an alert `send alert`. */
  readonly command: string;
  /** The report; null for others. */
  readonly report: LetterReport | null;
  readonly reason: string;
  /** When it became a dead letter, in milliseconds. */
  readonly at: number;
  /** Whether it is to be sent again. */
  readonly isDue: boolean;
}

export interface LetterReport {
  readonly receivedAt: number;
  readonly transactionUuid: string | null;
}

export type LetterTarget = keyof typeof COLLECTIONS;

const COLLECTIONS = {
  puppetdb: 'puppetdb-dead-letters',
  'report-url': 'report-dead-letters',
  'alert-url': 'alert-dead-letters',
} as const;
/** The oldest are deleted beyond this. */
const MOST_LETTERS = 1000;
const LONGEST_REASON = 2000;

type Documents = Pick<DocumentStore, 'put' | 'countKeys' | 'list' | 'delete'>;

/**
 * Keeps the newest 1,000 dead letters of a target. With the `id` of another one it takes its place.
 */
export async function keepDeadLetter(
  { target, certname, command, report, reason, at, id }: Omit<ForwardLetter, 'id' | 'isDue'> & { readonly id?: string },
  documents: Documents,
): Promise<void> {
  const time = new Date(at).toISOString();
  const about = report === null ? {} : { report: { ...report } };
  const letter = { certname, command, ...about, reason: reason.slice(0, LONGEST_REASON), time };
  const collection = COLLECTIONS[target];
  const which = report === null ? '' : ` ${report.receivedAt} ${report.transactionUuid}`;
  await documents.put(collection, id ?? `${time} ${certname} ${command}${which}`, letter);
  const count = await documents.countKeys(collection, 2 * MOST_LETTERS);
  if (count <= MOST_LETTERS) return;
  for (const { key } of await documents.list(collection, '', count - MOST_LETTERS)) {
    await documents.delete(collection, key);
  }
}

/** All dead letters of a target, the oldest first. */
export async function listDeadLetters(
  target: LetterTarget,
  documents: Pick<Documents, 'list'>,
): Promise<readonly ForwardLetter[]> {
  const found = await documents.list(COLLECTIONS[target], '', 2 * MOST_LETTERS);
  return found.map(({ key, document }) => readLetter(key, target, document));
}

/** Returns the content of a letter in a word: facts, catalog, report, node, alert. */
export function nameContent({ command }: Pick<ForwardLetter, 'command'>): string {
  return command.split(' ')[1] ?? command;
}

/** Has the server send these letters again, within a minute; returns how many there still were. */
export async function sendLettersAgain(
  letters: readonly Pick<ForwardLetter, 'target' | 'id'>[],
  documents: Pick<DocumentStore, 'get' | 'replace'>,
): Promise<number> {
  let count = 0;
  for (const { target, id } of letters) {
    const found = await documents.get(COLLECTIONS[target], id);
    if (found === null) continue;
    if (await documents.replace(COLLECTIONS[target], id, found, { ...found, isDue: true })) count += 1;
  }
  return count;
}

/** Puts letters that are due back among the dead letters, of a target that nothing sends to. */
export async function returnDueLetters(
  target: LetterTarget,
  reason: string,
  documents: Pick<DocumentStore, 'list' | 'get' | 'replace'>,
): Promise<void> {
  for (const { id } of (await listDeadLetters(target, documents)).filter(({ isDue }) => isDue)) {
    const found = await documents.get(COLLECTIONS[target], id);
    if (found !== null) await documents.replace(COLLECTIONS[target], id, found, { ...found, reason, isDue: false });
  }
}

export async function deleteDeadLetter(
  { target, id }: Pick<ForwardLetter, 'target' | 'id'>,
  documents: Pick<Documents, 'delete'>,
): Promise<void> {
  await documents.delete(COLLECTIONS[target], id);
}

/** Only this file writes the collections. */
function readLetter(id: string, target: LetterTarget, document: StoredDocument): ForwardLetter {
  const { certname, command, report, reason, time, isDue } = document;
  return {
    id,
    target,
    certname: String(certname),
    command: String(command),
    report: (report as LetterReport | undefined) ?? null,
    reason: String(reason),
    at: Date.parse(String(time)),
    isDue: isDue === true,
  };
}
