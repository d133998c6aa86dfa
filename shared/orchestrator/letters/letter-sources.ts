import { forgetLastFault, readLastFault } from '../../fleet/compiles/compile-faults.ts';
import {
  type ForwardLetter,
  type LetterTarget,
  listDeadLetters,
  nameContent,
  sendLettersAgain,
} from '../../inventory/forward/dead-letters.ts';
import type { CompileJob } from '../../store/ports/compile-queue.ts';
import type { DeadMessage } from '../../store/ports/dead-message.ts';
import type { FanOutMessage } from '../../store/ports/fan-out-queue.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { type DeadNode, NotifyBook } from '../notify/notify-book.ts';
import {
  type DeadLetter,
  isChosen,
  type LetterSource,
  MOST_COUNTED_LETTERS,
  MOST_LETTERS_A_LOOK,
} from './letter-source.ts';

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

/**
 * Opens the dead letters of the fan-out queue in AWS: chains (shares of the nodes that a deploy
 * affects) whose invalidation failed too often. A chain that is sent again continues after its last
 * page, and does nothing when another message finished it.
 */
export function openFanOutLetters({ fanOut }: Pick<Stores, 'fanOut'>): LetterSource {
  return {
    find: async (choice) => {
      const found = await fanOut.listDeadLetters(MOST_LETTERS_A_LOOK);
      return found.map(describeChain).filter((letter) => isChosen(letter, choice));
    },
    redrive: (letters) => fanOut.redrive(letters.map(({ id }) => id)),
    count: () => fanOut.countDeadLetters(),
  };
}

function describeChain({ id, content, fault, sentAt }: DeadMessage<FanOutMessage>): DeadLetter {
  const { environment = 'unknown', revision = 'unknown', chain = 'unknown' } = content;
  return {
    queue: 'fan-out',
    id,
    certname: null,
    content: 'deploy',
    transactionUuid: null,
    reason: fault ?? `the log of the fan-out function says why chain ${chain} failed`,
    cause: `deploy of ${environment}, revision ${revision}`,
    at: sentAt,
    isDue: false,
    isReadable: fault === null,
  };
}

/**
 * Letters that a receiver did not take: at most 1,000 are kept. Finding and counting read them
 * all, with one request in each megabyte; each redriven letter takes two.
 */
export function openForwardLetters(target: LetterTarget, { documents }: Pick<Stores, 'documents'>): LetterSource {
  return {
    find: async (choice) => {
      const found = await listDeadLetters(target, documents);
      return found.filter((letter) => isChosen(letter, choice)).map(describeLetter);
    },
    redrive: async (letters) => {
      const chosen = letters.filter(({ isDue }) => !isDue).map(({ id }) => ({ target, id }));
      return sendLettersAgain(chosen, documents);
    },
    count: async () => (await listDeadLetters(target, documents)).length,
  };
}

function describeLetter(letter: ForwardLetter): DeadLetter {
  const { id, target, certname, report, reason, at, isDue } = letter;
  const transactionUuid = report?.transactionUuid ?? null;
  return {
    queue: target,
    id,
    certname: certname || null,
    content: nameContent(letter),
    transactionUuid,
    reason,
    cause: null,
    at,
    isDue,
    isReadable: true,
  };
}

/**
 * Nodes that could not be notified to run. Finding is one request for all, and one for a node;
 * each redriven node takes five at most.
 */
export function openNotifyLetters({ documents }: Pick<Stores, 'documents'>): LetterSource {
  const book = new NotifyBook(documents);
  return {
    find: async ({ certname, id }) => {
      const name = id ?? certname;
      if (name === null) return (await book.listDead(MOST_LETTERS_A_LOOK)).map(describeNode);
      const dead = certname === null || certname === name ? await book.getDead(name) : null;
      return dead === null ? [] : [describeNode(dead)];
    },
    redrive: async (letters) => {
      let count = 0;
      // The id is the certname.
      await inParallel(AT_ONCE, letters, async ({ id }) => {
        if (await book.redrive(id)) count += 1;
      });
      return count;
    },
    count: () => book.countDead(MOST_COUNTED_LETTERS),
  };
}

function describeNode({ node: { certname }, reason, at }: DeadNode): DeadLetter {
  const common = {
    queue: 'notify',
    content: 'run',
    transactionUuid: null,
    cause: null,
    isDue: false,
    isReadable: true,
  } as const;
  return { ...common, id: certname, certname, reason, at };
}
