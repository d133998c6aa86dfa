import type { ReportSummary } from '../../fleet/nodes/node-reports.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';

/** A report that its receiver did not take. */
export interface ReportLetter {
  readonly id: string;
  readonly certname: string;
  readonly receivedAt: number;
  readonly transactionUuid: string | null;
  readonly reason: string;
  /** When it became a dead letter, in milliseconds. */
  readonly at: number;
  /** Whether it is to be sent again. */
  readonly isDue: boolean;
}

const COLLECTION = 'report-dead-letters';
/** The oldest are deleted beyond this. */
const MOST_LETTERS = 1000;
const LONGEST_REASON = 2000;

type Documents = Pick<DocumentStore, 'put' | 'countKeys' | 'list' | 'delete' | 'get'>;

/** Keeps which report was not taken and why. The report itself stays where reports are. */
export async function keepReportLetter(
  { certname, receivedAt, transactionUuid }: ReportSummary,
  reason: string,
  at: number,
  documents: Documents,
): Promise<void> {
  const letter = { certname, receivedAt, transactionUuid, reason: reason.slice(0, LONGEST_REASON), at, isDue: false };
  const id = `${new Date(receivedAt).toISOString()}-${certname}-${transactionUuid ?? ''}`;
  await documents.put(COLLECTION, id, letter);
  const count = await documents.countKeys(COLLECTION, 2 * MOST_LETTERS);
  if (count <= MOST_LETTERS) return;
  for (const { key } of await documents.list(COLLECTION, '', count - MOST_LETTERS)) {
    await documents.delete(COLLECTION, key);
  }
}

/** All of them, the oldest report first. */
export async function listReportLetters(documents: Pick<Documents, 'list'>): Promise<readonly ReportLetter[]> {
  const found = await documents.list(COLLECTION, '', MOST_LETTERS);
  return found.map(({ key, document }) => readLetter(key, document));
}

/** Has a server send them again, within a minute; returns their number. */
export async function sendLettersAgain(documents: Documents, certname?: string): Promise<number> {
  const all = await listReportLetters(documents);
  const wanted = all.filter((letter) => certname === undefined || letter.certname === certname);
  for (const { id, ...letter } of wanted) await documents.put(COLLECTION, id, { ...letter, isDue: true });
  return wanted.length;
}

export async function deleteReportLetter(documents: Pick<Documents, 'delete'>, id: string): Promise<void> {
  await documents.delete(COLLECTION, id);
}

/** Only this file writes the collection. */
function readLetter(id: string, document: StoredDocument): ReportLetter {
  const { certname, receivedAt, transactionUuid, reason, at, isDue } = document;
  return {
    id,
    certname: String(certname),
    receivedAt: Number(receivedAt),
    transactionUuid: typeof transactionUuid === 'string' ? transactionUuid : null,
    reason: String(reason),
    at: Number(at),
    isDue: isDue === true,
  };
}
