import { AccessRefused } from '../../../access/accounts/access-control.ts';
import type { HttpContext } from '../../endpoint.ts';

/** Page and order of a list that a request asks for. */
interface ResultPage<T> {
  readonly limit: number | null;
  readonly offset: number;
  readonly order: 'asc' | 'desc';
  readonly orderBy: string;
  readonly key: keyof T;
}

/**
 * Reads `limit`, `offset`, `order` and `order_by`. `keys` has the orders and the members that they
 * compare; `usual` and `usualLimit` are used without an order and a limit. Throws AccessRefused.
 */
export function readResultPage<T>(
  { req }: HttpContext,
  keys: Readonly<Record<string, keyof T>>,
  usual: string,
  usualLimit: number | null = null,
): ResultPage<T> {
  const orderBy = req.query('order_by') ?? usual;
  const order = req.query('order') ?? 'asc';
  const key = Object.hasOwn(keys, orderBy) ? keys[orderBy] : undefined;
  if (key === undefined) throw invalidParameter('order_by', `one of ${Object.keys(keys).join(', ')}`);
  if (order !== 'asc' && order !== 'desc') throw invalidParameter('order', 'asc or desc');
  const limit = req.query('limit');
  return {
    limit: limit === undefined ? usualLimit : readWhole('limit', limit),
    offset: readWhole('offset', req.query('offset') ?? '0'),
    order,
    orderBy,
    key,
  };
}

/** Sorts a list, and cuts the page out of it. Null comes first. */
export function sortPage<T>(items: readonly T[], { limit, offset, order, orderBy, key }: ResultPage<T>) {
  const direction = order === 'asc' ? 1 : -1;
  const text = (item: T) => String(item[key] ?? '');
  const sorted = [...items].sort((a, b) => direction * (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
  return {
    items: sorted.slice(offset, limit === null ? undefined : offset + limit),
    pagination: { limit, offset, order, order_by: orderBy, total: items.length },
  };
}

function readWhole(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw invalidParameter(name, 'a whole number');
}

function invalidParameter(name: string, wanted: string): AccessRefused {
  return new AccessRefused('schema-violation', `The parameter '${name}' must be ${wanted}`);
}
