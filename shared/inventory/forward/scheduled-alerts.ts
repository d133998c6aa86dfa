import type { Stores } from '../../store/ports/stores.ts';
import { runAlone } from '../../store/run-alone.ts';
import { messageOf } from '../../util/message-of.ts';
import { AlertForwarder } from './alert-forwarder.ts';
import { returnDueLetters } from './dead-letters.ts';
import { HttpReportSender } from './report-sender.ts';

/** No alert is begun after this time. */
const LONGEST_MS = 30_000;
const TIMEOUT_MS = 10_000;

/**
 * Posts the failures that began or ended since the last call to an HTTP endpoint, and the dead
 * letters that are to be sent again, for 40 seconds at most: for functions that a schedule calls.
 * A lease keeps it single. `url` null: there is no endpoint, and dead letters that are due become
 * undue. It never throws; what is not sent goes to `onTrouble`, and is sent by a later call.
 */
export async function postAlerts(
  url: string | null,
  stores: Pick<Stores, 'documents' | 'clock'>,
  onTrouble: (message: string) => void,
): Promise<void> {
  try {
    if (url === null) return await returnDueLetters('alert-url', 'no alertUrl is configured', stores.documents);
    await runAlone(stores, 'alerts', LONGEST_MS + 3 * TIMEOUT_MS, () => sendAll(url, stores, onTrouble));
  } catch (error) {
    onTrouble(messageOf(error));
  }
}

async function sendAll(
  url: string,
  stores: Pick<Stores, 'documents' | 'clock'>,
  onTrouble: (message: string) => void,
): Promise<void> {
  const sender = new HttpReportSender({
    ...{ url, userAgent: 'Understudy', contentType: 'application/json', timeoutMs: TIMEOUT_MS },
  });
  const forwarder = new AlertForwarder({ stores, sender, url, onTrouble });
  const until = stores.clock.now() + LONGEST_MS;
  try {
    await forwarder.sendEvents(until);
    await forwarder.sendDueLetters(until);
  } finally {
    sender.close();
  }
}
