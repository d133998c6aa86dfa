import {
  type ForwardLetter,
  LETTER_TARGETS,
  type LetterTarget,
  listDeadLetters,
  nameContent,
  sendLettersAgain,
} from '../../../inventory/forward/dead-letters.ts';
import { auditChange } from '../../audit-change.ts';
import type { Endpoint } from '../../endpoint.ts';
import { badRequestError, resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter, wordParameter } from '../../exchange/list-parameters.ts';
import { readJsonObject } from '../../exchange/request-body.ts';
import type { HttpServices } from '../../services.ts';

const PREFIX = '/understudy/v1/forwarding/dead-letters';
const MALFORMED = 'understudy/malformed-redrive';
const USUAL_LETTERS = 100;
const MOST_LETTERS = 1000;

/** Which dead letters; null stands for all. */
interface LetterChoice {
  readonly target: LetterTarget | null;
  readonly certname: string | null;
  readonly id: string | null;
}

/**
 * `GET forwarding/dead-letters?target=&certname=&limit=`: what the receivers of reports, facts and
 * catalogs did not take, newest first, and `count`, the number of all of them.
 */
export const getForwardLetters: Endpoint = {
  methods: ['GET'],
  path: PREFIX,
  async handle(context, { documents }) {
    const limit = countParameter(context, 'limit', USUAL_LETTERS, MOST_LETTERS);
    const target = wordParameter(context, 'target', LETTER_TARGETS);
    const choice = { target, certname: context.req.query('certname') || null, id: null };
    const letters = (await findLetters(choice, documents)).toSorted((one, other) => other.at - one.at);
    return sendJson(context, { count: letters.length, deadLetters: letters.slice(0, limit).map(describeLetter) });
  },
};

/**
 * `POST forwarding/dead-letters/redrive` with any of `target`, `certname` and `id`: has the server
 * send what they choose once more, within 30 seconds; `{}` chooses everything.
 */
export const postForwardRedrive: Endpoint = {
  methods: ['POST'],
  path: `${PREFIX}/redrive`,
  async handle(context, services) {
    const choice = readChoice(await readJsonObject(context, MALFORMED));
    const letters = await findLetters(choice, services.documents);
    if (letters.length === 0 && choice.id !== null) throw resourceNotFoundError('dead letter', choice.id);
    await sendLettersAgain(letters, services.documents);
    if (letters.length > 0) {
      const counted = letters.length === 1 ? '1 dead letter' : `${letters.length} dead letters`;
      auditChange(context, services, `${counted} of forwarding redriven`);
    }
    return sendJson(context, { redriven: letters.length });
  },
};

async function findLetters(
  { target, certname, id }: LetterChoice,
  documents: HttpServices['documents'],
): Promise<readonly ForwardLetter[]> {
  const targets = target === null ? LETTER_TARGETS : [target];
  const found = await Promise.all(targets.map((one) => listDeadLetters(one, documents)));
  return found
    .flat()
    .filter((letter) => (certname === null || letter.certname === certname) && (id === null || letter.id === id));
}

function describeLetter(letter: ForwardLetter) {
  const { id, target, certname, report, reason, at, isDue } = letter;
  const transactionUuid = report?.transactionUuid ?? null;
  return { id, target, certname, content: nameContent(letter), transactionUuid, reason, at, isDue };
}

function readChoice({ target = null, certname = null, id = null, ...others }: Readonly<Record<string, unknown>>) {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw badRequestError(`'${unknown}' is not one of target, certname, id`);
  const known = target === null ? null : LETTER_TARGETS.find((one) => one === target);
  if (known === undefined) throw badRequestError(`'target' must be one of ${LETTER_TARGETS.join(', ')}`);
  if (certname !== null && typeof certname !== 'string') throw badRequestError("'certname' must be a text");
  if (id !== null && typeof id !== 'string') throw badRequestError("'id' must be a text");
  return { target: known, certname, id };
}
