import type { Stores } from '../../store/ports/stores.ts';
import {
  type DeadLetter,
  LETTER_QUEUES,
  type LetterChoice,
  type LetterQueue,
  type LetterSource,
} from './letter-source.ts';
import { openCompileLetters, openFanOutLetters, openForwardLetters, openNotifyLetters } from './letter-sources.ts';

type LetterStores = Pick<Stores, 'queue' | 'fanOut' | 'documents'>;

/** Finds dead letters, the newest first; `queue` null: of all queues. */
export async function findDeadLetters(
  queue: LetterQueue | null,
  choice: LetterChoice,
  stores: LetterStores,
): Promise<readonly DeadLetter[]> {
  const queues = queue === null ? LETTER_QUEUES : [queue];
  const found = await Promise.all(queues.map((one) => openSource(one, stores).find(choice)));
  return found.flat().toSorted((one, other) => other.at - one.at);
}

/** Counts the dead letters of each queue. */
export async function countDeadLetters(stores: LetterStores): Promise<Readonly<Record<LetterQueue, number>>> {
  const [compile = 0, fanOut = 0, notify = 0, reportUrl = 0, puppetdb = 0, alertUrl = 0] = await Promise.all(
    LETTER_QUEUES.map((queue) => openSource(queue, stores).count()),
  );
  return { compile, 'fan-out': fanOut, notify, 'report-url': reportUrl, puppetdb, 'alert-url': alertUrl };
}

/** Result of a redrive. */
interface Redriving {
  /** Dead letters that were chosen. */
  readonly found: number;
  readonly redriven: number;
  /** Letters that cannot be read. They stay. */
  readonly unreadable: readonly DeadLetter[];
}

/**
 * Has the chosen dead letters of a queue tried again; those that are due already stay. One call
 * sees what one look finds: call again until `redriven` is 0.
 */
export async function redriveDeadLetters(
  queue: LetterQueue,
  choice: LetterChoice,
  stores: LetterStores,
): Promise<Redriving> {
  const source = openSource(queue, stores);
  const found = await source.find(choice);
  const readable = found.filter(({ isReadable }) => isReadable);
  const redriven = readable.length === 0 ? 0 : await source.redrive(readable);
  return { found: found.length, redriven, unreadable: found.filter(({ isReadable }) => !isReadable) };
}

function openSource(queue: LetterQueue, stores: LetterStores): LetterSource {
  if (queue === 'compile') return openCompileLetters(stores);
  if (queue === 'fan-out') return openFanOutLetters(stores);
  return queue === 'notify' ? openNotifyLetters(stores) : openForwardLetters(queue, stores);
}
