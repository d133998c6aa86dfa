import type { DeadMessage } from '../../store/ports/dead-message.ts';
import type { FanOutMessage } from '../../store/ports/fan-out-queue.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { type DeadLetter, isChosen, type LetterSource, MOST_LETTERS_A_LOOK } from './letter-source.ts';

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
