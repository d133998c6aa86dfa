import { OrchestratorError } from '../../../orchestrator/jobs/orchestrator-error.ts';
import { invalidRequest } from '../../../orchestrator/jobs/request-body.ts';

/** Page and order of a list that a request asks for. */
export interface PageRequest {
  /** Null: all. */
  readonly limit: number | null;
  readonly offset: number;
  readonly order: 'asc' | 'desc';
  readonly orderBy: string;
}

/** A part of a list, with the pagination object that describes it. */
interface ResultsPage<T> {
  readonly items: readonly T[];
  readonly pagination: {
    readonly limit: number | null;
    readonly offset: number;
    readonly order: string;
    readonly order_by: string;
    readonly total: number;
    readonly type: string;
  };
}

/** Value by which the rows of a list are sorted. */
export type SortKey = string | number | null;

/** Reads a number of the query; null when it is absent. Throws OrchestratorError otherwise. */
export function readCount(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalidRequest(`${name} must be an integer`, { [name]: text });
}

/** Reads an ISO 8601 time of the query; null when it is absent. */
export function readTimeParameter(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw invalidRequest(`${name} must be an ISO 8601 time`, { [name]: text });
}

/** Reads one of several words of the query; the default when it is absent. */
export function readChoice<Word extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly Word[],
  otherwise: Word,
): Word {
  const text = query.get(name);
  const found = text === null ? otherwise : words.find((word) => word === text);
  if (found !== undefined) return found;
  throw invalidRequest(`${name} must be one of ${words.join(', ')}`, { [name]: text });
}

/** Reads `limit`, `offset`, `order` and `order_by`; the first of the keys is the default. */
export function readPage(query: URLSearchParams, keys: readonly [string, ...string[]]): PageRequest {
  return {
    limit: readCount(query, 'limit'),
    offset: readCount(query, 'offset') ?? 0,
    order: readChoice(query, 'order', ['asc', 'desc'], 'asc'),
    orderBy: readChoice(query, 'order_by', keys, keys[0]),
  };
}

/** Sorts rows and cuts out the page. Equal rows stay in their order. */
export function takePage<Row>(
  rows: readonly Row[],
  { limit, offset, order, orderBy }: PageRequest,
  keyOf: (row: Row, orderBy: string) => SortKey,
  type = '',
): ResultsPage<Row> {
  const sign = order === 'asc' ? 1 : -1;
  const sorted = rows
    .map((row) => [keyOf(row, orderBy), row] as const)
    .sort(([a], [b]) => sign * compareKeys(a, b))
    .map(([, row]) => row);
  const end = limit === null ? sorted.length : offset + limit;
  return {
    items: sorted.slice(offset, end),
    pagination: { limit, offset, order, order_by: orderBy, total: rows.length, type },
  };
}

/** Null comes last. */
function compareKeys(a: SortKey, b: SortKey): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}

/** Reads the number that names something. Throws OrchestratorError for anything else. */
export function readNumberedName(text: string, what: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new OrchestratorError('validation-error', `Invalid ${what} id ${text}`);
}
