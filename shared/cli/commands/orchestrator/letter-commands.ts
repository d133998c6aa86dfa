import { type Command, Option } from 'commander';
import {
  type DeadLetter,
  LETTER_QUEUES,
  type LetterQueue,
  MOST_LETTERS_A_LOOK,
} from '../../../orchestrator/letters/letter-source.ts';
import type { AwsNames } from '../../../store/aws/stores.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { describeAmbiguousId, matchIds } from '../../../util/short-id.ts';
import {
  addListOptions,
  createListStyle,
  type ListColumn,
  type ListOptions,
  printList,
} from '../../client/list-table.ts';
import { DATA_OPTION, type StateLocation, withStores } from '../command-stores.ts';
import { CommandError } from '../node-files.ts';

type Print = (text: string) => Promise<void>;

/** A look sees 200 letters of an SQS queue: 100,000 in all. */
const MOST_LOOKS = 500;

interface LetterOptions extends StateLocation {
  readonly queue?: LetterQueue;
  readonly certname?: string;
}

const LETTERS: readonly ListColumn<DeadLetter>[] = [
  { name: 'id', kind: 'id', value: ({ id }) => id },
  { name: 'given_up', kind: 'time', value: ({ at }) => at },
  { name: 'queue', value: ({ queue }) => queue },
  { name: 'certname', value: ({ certname }) => certname },
  { name: 'what', value: ({ content }) => content },
  { name: 'again', value: ({ isDue, isReadable }) => (isReadable ? (isDue ? 'yes' : null) : 'never') },
  { name: 'reason', value: ({ reason }) => reason },
  { name: 'cause', isWide: true, value: ({ cause }) => cause },
  { name: 'transaction', kind: 'id', isWide: true, value: ({ transactionUuid }) => transactionUuid },
];

/** Adds `dead-letters list` and `dead-letters redrive`. */
export function addLetterCommands(program: Command, print: Print, variables: AwsNames): void {
  const letters = program
    .command('dead-letters')
    .description('list and redrive what was tried too often: compiles, deploys, runs, and what is forwarded');
  const list = addChoice(letters.command('list'))
    .description(`list dead letters with the reason of each, newest first; up to ${MOST_LETTERS_A_LOOK} of each queue`)
    .option(...DATA_OPTION);
  addListOptions(list, LETTERS).action((options: LetterOptions & ListOptions) =>
    withStores(options, variables, async (stores) => {
      const { findDeadLetters } = await import('../../../orchestrator/letters/dead-letters.ts');
      const choice = { certname: options.certname ?? null, id: null };
      const found = await findDeadLetters(options.queue ?? null, choice, stores);
      const style = createListStyle(options, stores.clock.now(), 'There are no dead letters.');
      await print(printList(found, LETTERS, style));
    }),
  );
  addChoice(letters.command('redrive'))
    .description('have dead letters tried again: all of them, or those that the options choose')
    .option('--id <id>', 'only this one of the queue: its id, or the first digits')
    .option(...DATA_OPTION)
    .action((options: LetterOptions & { readonly id?: string }) =>
      withStores(options, variables, async (stores) => {
        const { queue, id: given } = options;
        if (given !== undefined && queue === undefined) throw new CommandError('--id needs --queue');
        const id = given === undefined ? undefined : await completeId(given, options, stores);
        const { count, unreadable } = await redriveAll({ ...options, ...(id === undefined ? {} : { id }) }, stores);
        const [refused] = unreadable;
        if (id !== undefined && refused) throw new CommandError(`${queue} cannot redrive ${id}: ${refused.reason}`);
        if (id !== undefined && count === 0) throw new CommandError(`${queue} has no dead letter ${id} to redrive`);
        await print(`${count === 1 ? '1 dead letter is' : `${count} dead letters are`} tried again\n`);
        for (const { queue: of, id: stays, reason } of unreadable) await print(`${of} ${stays} stays: ${reason}\n`);
      }),
    );
}

function addChoice(command: Command): Command {
  return command
    .addOption(new Option('--queue <queue>', 'only those of this queue').choices(LETTER_QUEUES))
    .option('--certname <name>', 'only those of this node');
}

/** The id of a dead letter that begins with `given`; `given` for none, which redriving reports. */
async function completeId(given: string, { queue, certname }: LetterOptions, stores: Stores): Promise<string> {
  const { findDeadLetters } = await import('../../../orchestrator/letters/dead-letters.ts');
  const found = await findDeadLetters(queue ?? null, { certname: certname ?? null, id: null }, stores);
  const ids = matchIds(
    found.map(({ id }) => id),
    given,
  );
  if (ids.length > 1) throw new CommandError(describeAmbiguousId(given, ids));
  return ids[0] ?? given;
}

/** Looks again until no more are found; returns how many there were, and those that stay. */
async function redriveAll(
  { queue, certname, id }: LetterOptions & { readonly id?: string },
  stores: Stores,
): Promise<{ readonly count: number; readonly unreadable: readonly DeadLetter[] }> {
  const { redriveDeadLetters } = await import('../../../orchestrator/letters/dead-letters.ts');
  const choice = { certname: certname ?? null, id: id ?? null };
  let count = 0;
  const stay = new Map<string, DeadLetter>();
  for (const one of queue === undefined ? LETTER_QUEUES : [queue]) {
    for (let look = 0; look < MOST_LOOKS; look += 1) {
      const { redriven, unreadable } = await redriveDeadLetters(one, choice, stores);
      count += redriven;
      for (const letter of unreadable) stay.set(`${one} ${letter.id}`, letter);
      if (redriven === 0) break;
    }
  }
  return { count, unreadable: [...stay.values()] };
}
