import type { AnswerOf } from '../../../api/described-answers.ts';
import { type KeptValueEntry, listKeptValues } from '../../../fleet/values/kept-value-list.ts';
import { beginRenewal } from '../../../fleet/values/rotate-value.ts';
import { endsWithin } from '../../../util/wait-at-most.ts';
import { badRequestError, resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { readJsonObject } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

const MALFORMED = 'understudy/malformed-value';
const ENVIRONMENT = /^\w{1,255}$/;
/** Maximum number of values in a list. */
const MOST_VALUES = 2000;
/** Time to invalidate the nodes of a value before the answer. */
const ANSWER_MS = 200;

/**
 * `GET values?environment=`: the values that code of modules keeps between compiles, without their
 * texts: the first 2,000.
 */
export const getKeptValues = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/values',
  async (context, { documents }) => {
    const environment = context.req.query('environment') ?? '';
    if (environment !== '' && !ENVIRONMENT.test(environment)) throw environmentFault(environment);
    const values: Omit<KeptValueEntry, 'version'>[] = [];
    let hasMore = false;
    for await (const { version, ...entry } of listKeptValues(documents, environment === '' ? null : environment)) {
      hasMore = values.length === MOST_VALUES;
      if (hasMore) break;
      values.push(entry);
    }
    return sendJson(context, { values, hasMore } satisfies AnswerOf<'listKeptValues'>);
  },
);

/**
 * `POST environments/<name>/values/rotate` with `name`: removes a value, so that the next compile
 * creates another one. The nodes that use it compile with priority; where there are many nodes,
 * some are invalidated after the answer, which has `isComplete: false` then.
 */
export const postValueRotation = createRoute<FleetServices>(
  'POST',
  '/understudy/v1/environments/:environment/values/rotate',
  async (context, services) => {
    const environment = context.req.param('environment') ?? '';
    if (!ENVIRONMENT.test(environment)) throw environmentFault(environment);
    const { name } = await readJsonObject(context, MALFORMED);
    if (typeof name !== 'string') throw badRequestError("'name' must be a text");
    const by = context.env.user ?? context.env.peer?.certname ?? 'unknown';
    const rotation = await beginRenewal(environment, name, by, services);
    if (rotation === null) throw resourceNotFoundError('value', `${environment}/${name}`);
    const isComplete = await endsWithin(rotation.done, ANSWER_MS, services.clock);
    if (!isComplete)
      rotation.done.catch((error) => services.log.logError(`Nodes that use ${name} were not invalidated`, error));
    const answer: AnswerOf<'rotateKeptValue'> = {
      environment,
      name,
      nodes: rotation.countInvalidated(),
      isComplete,
    };
    return sendJson(context, answer);
  },
);

function environmentFault(name: string) {
  return badRequestError(`'${name.slice(0, 255)}' is not an environment`);
}
