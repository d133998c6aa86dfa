import { type Ast, type AstList, isList } from '../ast/ast.ts';

const PAGING = ['order_by', 'limit', 'offset'];
const isClause = (node: Ast | undefined, operator: string): node is AstList => isList(node) && node[0] === operator;

/** The query with one more condition, inside of `extract` and `from`. */
export function addCondition(condition: AstList, query: Ast): Ast {
  if (isClause(query, 'extract')) return addToExtract(condition, query);
  if (isClause(query, 'from')) return addToFrom(condition, query);
  return query === null ? condition : ['and', query, condition];
}

function addToExtract(condition: AstList, query: AstList): Ast {
  const [operator = null, columns = null, first = null, second] = query;
  if (query.length === 2 || (query.length === 3 && first === null)) return [operator, columns, condition];
  if (query.length === 3 && isClause(first, 'group_by')) return [operator, columns, condition, first];
  if (query.length === 3) return [operator, columns, ['and', first, condition]];
  if (query.length === 4) return [operator, columns, addCondition(condition, first), second ?? null];
  return ['and', query, condition];
}

function addToFrom(condition: AstList, query: AstList): Ast {
  const [operator = null, entity = null, ...clauses] = query;
  const isPaging = (clause: Ast) => isList(clause) && PAGING.includes(String(clause[0]));
  if (clauses.every(isPaging)) return [operator, entity, condition, ...clauses];
  const [first = null, ...others] = clauses;
  if (others.every(isPaging)) return [operator, entity, addCondition(condition, first), ...others];
  return ['and', query, condition];
}

/** The query with active nodes only, unless it says itself which nodes it wants. */
export function restrictToActiveNodes(query: Ast): Ast {
  const isExtract = isClause(query, 'extract') && query.length === 3;
  const searched = isExtract ? (query[2] ?? null) : query;
  return namesNodeState(searched) ? query : addCondition(['=', 'node_state', 'active'], query);
}

/** Entities of whose rows none is about a node. */
const WITHOUT_NODES = ['fact_paths', 'environments', 'packages'];

/** A query as the root endpoint runs it: with active nodes only, if it is about nodes. */
export function restrictRootQuery(query: Ast): Ast {
  const isAboutNodes = !(isList(query) && WITHOUT_NODES.includes(String(query[1])));
  return isAboutNodes ? restrictToActiveNodes(query) : query;
}

function namesNodeState(node: Ast): boolean {
  if (!isList(node)) return false;
  if (node[0] === '=' && node.length === 3) {
    const [, field] = node;
    if (field === 'node_state') return true;
    if (isList(field) && field.length === 2 && field[0] === 'node' && field[1] === 'active') return true;
  }
  return node.slice(1).some(namesNodeState);
}

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
