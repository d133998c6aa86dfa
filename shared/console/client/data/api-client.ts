import { ApiFault, faultOfAnswer } from './api-fault.ts';
import type { DescribedAddress, DescribedAnswer } from './described-addresses.ts';

/** An answer that takes longer is given up, if the request does not say another time. */
const LATE_MS = 20_000;
/** The time of requests that compile or deploy: the server takes two minutes at most. */
export const LONG_MS = 150_000;
/** A larger answer never reaches the page. */
const MOST_BYTES = 12_000_000;

type Methods = 'GET' | 'POST' | 'PUT' | 'DELETE';

interface ApiRequest<Method extends Methods = Methods> {
  readonly method?: Method;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Milliseconds after which the answer is given up. */
  readonly lateMs?: number;
}

/** An answer with the number of all rows, where the API says it. */
export interface ApiAnswer<Data = unknown> {
  readonly data: Data;
  /** From `X-Records` of the inventory; null elsewhere. */
  readonly total: number | null;
}

/** Called when a session has ended. */
let noteEndOfSession: () => void = () => {};
/** The number of sessions that began on this page. */
let sessions = 0;

/** Names what happens when an API answers that the session has ended. */
export function whenSessionEnds(listener: () => void): void {
  noteEndOfSession = listener;
}

/** Notes that a session has begun: what was sent before does not end it. */
export function noteBeginOfSession(): void {
  sessions += 1;
}

/**
 * Sends one request to an API of this origin and reads the JSON of its answer. Throws ApiFault for
 * every other outcome, and AbortError when `signal` ends it. Redirects after a change are followed
 * by the browser. The answer has the type that `docs/openapi.yaml` describes for the address.
 */
export async function callApi<const Address extends DescribedAddress, Method extends Methods = 'GET'>(
  path: Address,
  request?: ApiRequest<Method>,
): Promise<ApiAnswer<DescribedAnswer<Address, Method>>>;
export async function callApi(path: string, request?: ApiRequest): Promise<ApiAnswer>;
export async function callApi(path: string, request: ApiRequest = {}): Promise<ApiAnswer> {
  const { lateMs = LATE_MS } = request;
  const late = AbortSignal.timeout(lateMs);
  const signal = request.signal === undefined ? late : AbortSignal.any([late, request.signal]);
  const session = sessions;
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(path, { ...describeRequest(request), signal });
    text = await readLimited(answer);
  } catch (error) {
    throw toFault(error, late, lateMs, request.signal);
  }
  if (!answer.ok) {
    const fault = faultOfAnswer(answer.status, answer.headers.get('Retry-After'), text);
    if (fault.kind === 'unauthenticated' && session === sessions) noteEndOfSession();
    throw fault;
  }
  const records = Number(answer.headers.get('X-Records') ?? Number.NaN);
  return { data: parseAnswer(text), total: Number.isInteger(records) ? records : null };
}

function describeRequest({ method = 'GET', body }: ApiRequest): RequestInit {
  const headers = new Headers({ Accept: 'application/json' });
  // Changes carry a header that a foreign page cannot send without being asked for leave.
  if (method !== 'GET') headers.set('X-Understudy-Console', '1');
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  return {
    method,
    headers,
    credentials: 'same-origin',
    cache: 'no-store',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

async function readLimited(answer: Response): Promise<string> {
  if (answer.body === null) return '';
  const decoder = new TextDecoder();
  const reader = answer.body.getReader();
  let [text, size] = ['', 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > MOST_BYTES) {
      await reader.cancel();
      throw new ApiFault('too-large', 'The answer is too large for a page. Narrow the filter.');
    }
    text += decoder.decode(value, { stream: true });
  }
}

function toFault(error: unknown, late: AbortSignal, lateMs: number, given: AbortSignal | undefined): unknown {
  if (error instanceof ApiFault || given?.aborted === true) return error;
  if (late.aborted) return new ApiFault('late', `The server did not answer within ${lateMs / 1000} seconds.`);
  return new ApiFault('unreachable', 'The server cannot be reached.');
}

function parseAnswer(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ApiFault('broken', 'The server answered with something that is not JSON.');
  }
}
