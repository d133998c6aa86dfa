import type { Clock } from '../../../store/ports/clock.ts';
import type { InventoryApi, PassedAnswer, PassedRequest } from '../../../store/ports/inventory-answers.ts';
import { StoreUnavailable } from '../../../store/ports/store-errors.ts';
import { Semaphore } from '../../../util/semaphore.ts';
import { BODIES, BodyRefused } from '../../body/body-kinds.ts';
import { readHeldBody } from '../../body/read-body.ts';
import { collectInventoryAnswer } from '../../exchange/inventory-event.ts';
import { type InventoryAnswer, type InventoryHttpRequest, textAnswer } from '../../exchange/inventory-exchange.ts';
import { answerInventory, type InventoryServices } from './inventory-app.ts';

/** Paths of requests that are passed on; commands are not. */
const QUERIES = /^\/pdb\/query\/v4(?:\/|$)/;
/** The headers that an answer depends on. */
const HEADERS = ['accept', 'content-type'];
/** Calls of the other process at a time; each may last for the time limit of a query. */
const AT_ONCE = 10;

/**
 * Answers queries by passing them on to the process that reaches the database. Status 503 while the
 * inventory is away, and when too many wait for it.
 */
export function passQueries(
  api: InventoryApi,
  clock: Clock,
  reportFault: (error: unknown) => void,
): (request: InventoryHttpRequest) => Promise<InventoryAnswer> {
  const places = new Semaphore(AT_ONCE);
  const shed = (text: string, seconds: number): InventoryAnswer => {
    const answer = textAnswer(503, text);
    const delay = seconds + Math.floor(seconds * clock.random());
    return { ...answer, headers: { ...answer.headers, 'Retry-After': String(delay) } };
  };
  return async (request) => {
    if (!QUERIES.test(request.path)) return textAnswer(404, 'Only queries (/pdb/query/v4) are answered here');
    const release = places.tryAcquire();
    if (release === null) return shed(`${AT_ONCE} queries are being answered: ask again`, 2);
    try {
      return await api.pass(await describeRequest(request));
    } catch (error) {
      if (error instanceof BodyRefused) return textAnswer(error.status, error.message);
      if (!(error instanceof StoreUnavailable)) throw error;
      reportFault(error);
      return shed('The inventory does not answer: ask again', 5);
    } finally {
      release();
    }
  };
}

async function describeRequest(request: InventoryHttpRequest): Promise<PassedRequest> {
  const { method, path, parameters, headers, origin, readBody } = request;
  const body = method === 'POST' ? await readBody(BODIES.passedQuery, 'decode', null) : '';
  const sent = HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { method, path, parameters: [...parameters], headers: Object.fromEntries(sent), origin, body };
}

/** Answers a query that `passQueries` passed on; 413 when it has more than `mostBytes`. */
export async function answerPassedRequest(
  { method, path, parameters, headers, origin, body }: PassedRequest,
  services: Omit<InventoryServices, 'queue'>,
  mostBytes: number,
): Promise<PassedAnswer> {
  const request = {
    ...{ method, path, origin, parameters: new Map(parameters), headers: new Map(Object.entries(headers)) },
    readBody: readHeldBody(Buffer.from(body), undefined),
  };
  const answer = await answerInventory(request, { ...services, queue: null });
  const { statusCode, ...others } = await collectInventoryAnswer(answer, mostBytes);
  return { status: statusCode, ...others };
}
