import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { type DeadNode, NotifyBook } from '../notify/notify-book.ts';
import { type DeadLetter, type LetterSource, MOST_COUNTED_LETTERS, MOST_LETTERS_A_LOOK } from './letter-source.ts';

const AT_ONCE = 10;

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
