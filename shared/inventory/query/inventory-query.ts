import { type Ast, type AstList, isList, printAst } from '../ast/ast.ts';
import { parseFieldPath } from '../ast/field-path.ts';
import { QueryFailed, QueryRefused } from '../ast/query-error.ts';
import { type Sql, sql } from '../database/sql.ts';
import { leaveOutPlanReports } from './agent-reports.ts';
import { checkInventoryQuery } from './check-query.ts';
import { ClauseContexts } from './contexts.ts';
import { planDistinctEvents } from './distinct-events.ts';
import { ELIDED } from './elided.ts';
import { type Entity, queryableFields } from './entity.ts';
import { findEntity } from './entity-registry.ts';
import { planAggregateEventCounts, planEventCounts } from './event-counts.ts';
import { expandQuery, type MatchedPaths, matchPattern } from './expand-query.ts';
import { useFactDocuments } from './fact-documents.ts';
import { type OrderTerm, type PagingClauses, readPagingClauses } from './paging-clauses.ts';
import { planRows } from './plan-query.ts';
import type { InventoryParameters } from './query-parameters.ts';

/** Options of a query that are not in the query itself. */
export type QueryOptions = Omit<InventoryParameters, 'query'>;

/** The statements of a query: its rows, each one JSON text, and their number. */
export interface PlannedQuery {
  readonly rows: Sql;
  readonly total: Sql;
}

/** Finds the paths of facts that match a pattern. */
type FindPaths = (pattern: string) => Promise<readonly (readonly string[])[]>;

const FORM =
  'Your initial query must be of the form: ["from",<entity>,(<optional-query>)]. Check your query and try again.';
const FROM_FORM =
  'Your `from` query accepts an optional query only as a second argument. Check your query and try again.';

/** Plans a query `["from", entity, …]`. Throws QueryRefused and QueryFailed. */
export async function planInventoryQuery(query: Ast, options: QueryOptions, find: FindPaths): Promise<PlannedQuery> {
  const { name, inner, paging } = readFrom(query);
  const order = checkOrder(options.order ?? paging.order ?? []);
  const page = { limit: options.limit ?? paging.limit, offset: options.offset ?? paging.offset, order };
  const plan = (entity: Entity, clause: Ast) => prepare(entity, clause, find);
  if (name === 'event_counts') return planEventCounts(inner, options, page, plan);
  if (name === 'aggregate_event_counts') return planAggregateEventCounts(inner, options, plan);
  const entity = findEntity(name, options);
  if (entity === undefined) throw new QueryRefused(`Invalid entity '${name}' in query`);
  if (name === 'events' && options.distinct?.isDistinct === true)
    return planDistinctEvents(inner, options.distinct, page);
  refuseUnknownOrder(entity, order);
  const prepared = await plan(entity, leaveOutPlanReports(entity, inner));
  return {
    rows: toJsonRows(entity, planRows(entity, prepared, page)),
    total: sql`select count(*) from (${planRows(entity, prepared, null)}) counted`,
  };
}

async function prepare(entity: Entity, query: Ast, find: FindPaths): Promise<Ast> {
  const contexts = new ClauseContexts();
  const checked = checkInventoryQuery(query, entity, contexts);
  const matched = new Map<string, readonly (readonly string[])[]>();
  for (const pattern of findPatterns(checked)) matched.set(pattern, await find(pattern));
  return expand(checked, contexts, matched);
}

function expand(checked: Ast, contexts: ClauseContexts, matched: MatchedPaths): Ast {
  const expanded = useFactDocuments(expandQuery(checked, contexts, matched));
  return expanded === ELIDED ? null : expanded;
}

function findPatterns(node: Ast): readonly string[] {
  if (!isList(node)) return [];
  const [, field] = node;
  const isDotted = node.length === 3 && typeof field === 'string' && /^(?:facts|trusted)\./.test(field);
  const { top, path } = isDotted ? parseFieldPath(field) : { top: '', path: [] };
  const own = matchPattern(top, path);
  return [...(own === null ? [] : [own]), ...node.flatMap(findPatterns)];
}

interface FromClause {
  readonly name: string;
  readonly inner: Ast;
  readonly paging: PagingClauses;
}

function readFrom(query: Ast): FromClause {
  const [operator, entity, ...clauses] = isList(query) ? query : [];
  if (operator !== 'from' || typeof entity !== 'string') throw new QueryRefused(FORM);
  const name = entity.replaceAll('-', '_');
  const [first, ...others] = clauses;
  const isPaging = isList(first) && ['limit', 'order_by', 'offset'].includes(String(first[0]));
  if (first === undefined) return { name, inner: [], paging: readPagingClauses([]) };
  if (isPaging) return { name, inner: [], paging: readPagingClauses(clauses) };
  if (!isList(first)) throw new QueryRefused(FROM_FORM);
  return { name, inner: first, paging: readPagingClauses(others as AstList) };
}

function checkOrder(order: readonly OrderTerm[]): readonly OrderTerm[] {
  for (const term of order) if (term[0] === '') throw new QueryFailed(`${printAst(term)} is no order`);
  return order;
}

function refuseUnknownOrder(entity: Entity, order: readonly OrderTerm[]): void {
  const columns = queryableFields(entity);
  const unknown = order.find(([name]) => !columns.includes(name));
  if (unknown === undefined) return;
  throw new QueryRefused(
    `Unrecognized column '${unknown[0]}' specified in :order_by; Supported columns are '${columns.join("', '")}'`,
  );
}

function toJsonRows(entity: Entity, rows: Sql): Sql {
  if (entity.name === 'fact_names') return sql`select to_json(shown.name)::text from (${rows}) shown`;
  return sql`select row_to_json(shown)::text from (${rows}) shown`;
}
