import { listReports, type ReportSummary } from '../../fleet/reports/node-reports.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { deleteDeadLetter, type ForwardLetter, type LetterTarget, listDeadLetters } from './dead-letters.ts';

/**
 * Sends the dead letters again that an operator wants sent. `send` resolves to whether the letter
 * is done, and keeps what is rejected again in its place. What it throws ends the round, and the
 * letter stays due.
 */
export async function sendDueLetters(
  target: LetterTarget,
  documents: Pick<Stores['documents'], 'list' | 'delete'>,
  send: (letter: ForwardLetter) => Promise<boolean>,
): Promise<void> {
  const letters = await listDeadLetters(target, documents);
  for (const letter of letters.filter(({ isDue }) => isDue)) {
    if (await send(letter)) await deleteDeadLetter(letter, documents);
  }
}

/** The report of a letter; null when it is deleted by now. */
export async function findLetterReport(
  { certname, report }: ForwardLetter,
  { documents }: Pick<Stores, 'documents'>,
): Promise<ReportSummary | null> {
  if (report === null) return null;
  const { receivedAt: since, transactionUuid } = report;
  const found = await listReports({ documents }, { certname, since, before: since + 1, limit: 100 });
  return found.find((one) => one.transactionUuid === transactionUuid) ?? null;
}
