import type { AnswerOf } from '../../../api/described-answers.ts';
import { countDeadLetters, findDeadLetters, redriveDeadLetters } from '../../../orchestrator/letters/dead-letters.ts';
import { LETTER_QUEUES, type LetterChoice, MOST_LETTERS_A_LOOK } from '../../../orchestrator/letters/letter-source.ts';
import { auditChange } from '../../audit-change.ts';
import { badRequestError, jsonRefusal, resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter, wordParameter } from '../../exchange/list-parameters.ts';
import { readJsonObject } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

const PREFIX = '/understudy/v1/dead-letters';
const MALFORMED = 'understudy/malformed-redrive';
const UNREADABLE = 'understudy/unreadable-dead-letter';
const USUAL_LETTERS = 100;

/**
 * `GET dead-letters?queue=&certname=&limit=`: what the queues gave up, newest first, and `counts`,
 * how many each queue has of all nodes.
 */
export const getDeadLetters = createRoute<FleetServices>('GET', PREFIX, async (context, services) => {
  const limit = countParameter(context, 'limit', USUAL_LETTERS, MOST_LETTERS_A_LOOK);
  const queue = wordParameter(context, 'queue', LETTER_QUEUES);
  const choice = { certname: context.req.query('certname') || null, id: null };
  const [counts, letters] = await Promise.all([countDeadLetters(services), findDeadLetters(queue, choice, services)]);
  return sendJson(context, { counts, deadLetters: letters.slice(0, limit) } satisfies AnswerOf<'listDeadLetters'>);
});

/**
 * `POST dead-letters/<queue>/redrive` with any of `certname` and `id`: has what they choose tried
 * again; `{}` chooses everything that one look finds. What cannot be read stays: `unreadable` has
 * its ids, and choosing it by `id` answers 409.
 */
export const postRedrive = createRoute<FleetServices>('POST', `${PREFIX}/:queue/redrive`, async (context, services) => {
  const name = context.req.param('queue') ?? '';
  const queue = LETTER_QUEUES.find((one) => one === name);
  if (queue === undefined) throw resourceNotFoundError('queue', name);
  const choice = readChoice(await readJsonObject(context, MALFORMED));
  const { found, redriven, unreadable } = await redriveDeadLetters(queue, choice, services);
  if (found === 0 && choice.id !== null) throw resourceNotFoundError('dead letter', choice.id);
  const [refused] = unreadable;
  if (refused && choice.id !== null) throw jsonRefusal(409, UNREADABLE, `dead letter ${choice.id}: ${refused.reason}`);
  if (redriven > 0) {
    const counted = redriven === 1 ? '1 dead letter' : `${redriven} dead letters`;
    auditChange(context, services, `${counted} of ${queue} redriven`);
  }
  const answer: AnswerOf<'redriveDeadLetters'> = { redriven, unreadable: unreadable.map(({ id }) => id) };
  return sendJson(context, answer);
});

function readChoice({ certname = null, id = null, ...others }: Readonly<Record<string, unknown>>): LetterChoice {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw badRequestError(`'${unknown}' is not one of certname, id`);
  if (certname !== null && typeof certname !== 'string') throw badRequestError("'certname' must be a text");
  if (id !== null && typeof id !== 'string') throw badRequestError("'id' must be a text");
  return { certname, id };
}
