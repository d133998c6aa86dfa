import { forgetLastFault, readLastFault } from '../../fleet/compiles/compile-faults.ts';
import type { CompileJob } from '../../store/ports/compile-queue.ts';
import type { DeadMessage } from '../../store/ports/dead-message.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { type DeadLetter, isChosen, type LetterSource, MOST_LETTERS_A_LOOK } from './letter-source.ts';

const AT_ONCE = 10;
const UNKNOWN = 'its worker ended before it could say why: it ran out of time or memory';

/**
 * Compile jobs that were received too often. Finding reads one document for each letter that is
 * chosen, and in AWS receives at most 20 times from each of the three dead-letter queues.
 */
export function openCompileLetters(stores: Pick<Stores, 'queue' | 'documents'>): LetterSource {
  const { queue } = stores;
  return {
    find: async (choice) => {
      const found = await queue.listDeadLetters(MOST_LETTERS_A_LOOK);
      const chosen = found.filter(({ id, content: { certname = null } }) => isChosen({ id, certname }, choice));
      const letters: DeadLetter[] = [];
      await inParallel(AT_ONCE, chosen, async (one) => void letters.push(await describeJob(one, stores)));
      return letters;
    },
    redrive: async (letters) => {
      const jobs = await queue.redrive(letters.map(({ id }) => id));
      const names = new Set(jobs.map(({ certname }) => certname));
      await inParallel(AT_ONCE, [...names], (certname) => forgetLastFault(certname, stores));
      return jobs.length;
    },
    count: async () => {
      const { visible, inFlight } = (await queue.getDepth()).dead;
      return visible + inFlight;
    },
  };
}

async function describeJob(
  { id, content, fault, sentAt }: DeadMessage<CompileJob>,
  stores: Pick<Stores, 'documents'>,
): Promise<DeadLetter> {
  const common = {
    queue: 'compile',
    id,
    certname: content.certname ?? null,
    content: content.warm === undefined ? 'catalog' : 'environment',
    transactionUuid: null,
    cause: content.reason ?? null,
    isDue: false,
  } as const;
  if (fault !== null) return { ...common, reason: fault, at: content.at ?? sentAt, isReadable: false };
  const last = await readLastFault(content, stores);
  return { ...common, reason: last?.reason ?? UNKNOWN, at: last?.at ?? content.at, isReadable: true };
}
