import { type Ast, isList } from '../ast/ast.ts';

/** Entities that take no columns. */
const WITHOUT_COLUMNS = /event[-_]counts$/;

/**
 * The query reduced to the certnames of its rows, each once: `inventory { … }` then gives no facts.
 * A query that names its columns, or that orders or limits its rows, stays as it is.
 */
export function reduceToCertnames(query: Ast): Ast {
  if (!isList(query) || query[0] !== 'from') return query;
  const [from = null, entity = null, condition = null, ...others] = query;
  const isExtract = isList(condition) && condition[0] === 'extract';
  const isPaging = isList(condition) && ['limit', 'order_by', 'offset'].includes(String(condition[0]));
  if (isExtract || isPaging || others.length > 0 || WITHOUT_COLUMNS.test(String(entity))) return query;
  const grouped: Ast = ['group_by', 'certname'];
  return [from, entity, ['extract', ['certname'], ...(condition === null ? [] : [condition]), grouped]];
}
