import { type Ast, type AstList, isList, printAst } from '../ast/ast.ts';
import { QueryFailed, QueryRefused } from '../ast/query-error.ts';

/** A field to order by, and the direction. */
export type OrderTerm = readonly [name: string, direction: 'asc' | 'desc'];

/** The `limit`, `offset` and `order_by` clauses of a query; null without the clause. */
export interface PagingClauses {
  readonly limit: Ast;
  readonly offset: Ast;
  readonly order: readonly OrderTerm[] | null;
}

/** Reads the clauses behind a query. Refuses a repeated clause and one without an operand. */
export function readPagingClauses(clauses: AstList): PagingClauses {
  const order = readClause('order_by', clauses);
  return {
    limit: readClause('limit', clauses),
    offset: readClause('offset', clauses),
    order: isList(order) ? order.map(readTerm) : null,
  };
}

function readClause(name: string, clauses: AstList): Ast {
  const found = clauses.filter((clause) => isList(clause) && clause[0] === name);
  const [clause] = found;
  if (!isList(clause)) return null;
  if (found.length > 1) throw new QueryRefused(`Multiple '${name}' clauses are not permitted`);
  const operand = clause[1] ?? null;
  if (operand === null || operand === false) throw new QueryRefused(`Received '${name}' clause without an argument`);
  return operand;
}

function readTerm(term: Ast): OrderTerm {
  const [name = null, direction = 'asc'] = isList(term) ? term : [term];
  if (direction !== 'asc' && direction !== 'desc') throw new QueryFailed(`${printAst(direction)} is not a direction`);
  return [printAst(name), direction];
}
