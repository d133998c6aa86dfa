import {
  type ForwardLetter,
  type LetterTarget,
  listDeadLetters,
  nameContent,
  sendLettersAgain,
} from '../../inventory/forward/dead-letters.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { type DeadLetter, isChosen, type LetterSource } from './letter-source.ts';

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
    certname,
    content: nameContent(letter),
    transactionUuid,
    reason,
    cause: null,
    at,
    isDue,
    isReadable: true,
  };
}
