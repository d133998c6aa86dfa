import { type Ast, type AstList, isList, printAst } from '../ast/ast.ts';
import { parseFieldPath } from '../ast/field-path.ts';
import { QueryFailed, QueryRefused } from '../ast/query-error.ts';
import { type Sql, sql } from '../database/sql.ts';
import { checkInventoryQuery } from './check-query.ts';
import { ClauseContexts } from './contexts.ts';
import { planDistinctEvents } from './distinct-events.ts';
import { ELIDED } from './elided.ts';
import { type Entity, queryableFields } from './entity.ts';
import { findEntity, findSubquery } from './entity-registry.ts';
import { planAggregateEventCounts, planEventCounts } from './event-counts.ts';
import { expandQuery, type MatchedPaths, matchPattern } from './expand-query.ts';
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

/**
 * Lets subqueries for the nodes whose fact has a value look into the documents of facts, which an
 * index finds, rather than at all facts one by one. PuppetDB does the same, so that answers agree
 * where the two differ: a name with a dot is a path, and types of values are not compared.
 */
function useFactDocuments(node: Ast): Ast {
  if (!isList(node)) return node;
  return (replace(node) ?? node).map(useFactDocuments);
}

function replace(node: AstList): AstList | null {
  const [operator, column, subquery] = node;
  if (operator !== 'extract' || node.length !== 3 || !isList(subquery)) return null;
  if (column !== 'certname' && column !== 'environment') return null;
  const [name, condition] = subquery;
  if (name !== 'select_facts' || subquery.length !== 2 || !isClause(condition, 'and', 3)) return null;
  const [, named, valued] = condition;
  if (!isClause(named, '=', 3) || named[1] !== 'name') return null;
  const compared = isTyped(valued) ? (valued[2] ?? null) : (valued ?? null);
  if (!isList(compared) || compared.length !== 3 || compared[1] !== 'value' || isList(compared[2])) return null;
  const [comparison = null, , value = null] = compared;
  return ['extract', column, ['select_inventory', [comparison, `facts.${String(named[2])}`, value]]];
}

function isClause(node: Ast | undefined, operator: string, length: number): node is AstList {
  return isList(node) && node[0] === operator && node.length === length;
}

/** `["and", ["=", ["function", "jsonb_typeof", "value"], type], comparison]` */
function isTyped(node: Ast | undefined): node is AstList {
  if (!isClause(node, 'and', 3)) return false;
  const [, typed] = node;
  return isClause(typed, '=', 3) && isList(typed[1]) && typed[1][0] === 'function' && typed[1][1] === 'jsonb_typeof';
}

const COMPARISONS = ['=', '>', '<', '<=', '>=', '~', '~>'];
const PAGING = ['limit', 'group_by', 'order_by', 'offset'];

/**
 * Leaves out reports of plans, which are of no agent, wherever the query or a subquery is about
 * reports and says nothing of their type.
 */
function leaveOutPlanReports(entity: Entity, query: Ast): Ast {
  if (!isList(query) || query[0] !== 'extract') return restrict(entity, query);
  const [operator = null, columns = null, first, ...others] = query;
  if (first === undefined || query.slice(2).every(isPaging)) {
    const restricted = restrict(entity, ELIDED);
    return restricted === ELIDED ? query : [operator, columns, restricted, ...query.slice(2)];
  }
  return [operator, columns, restrict(entity, first), ...others];
}

function isPaging(clause: Ast): boolean {
  return isList(clause) && PAGING.includes(String(clause[0]));
}

function restrict(entity: Entity | undefined, condition: Ast): Ast {
  const inner = restrictSubqueries(condition);
  if (entity?.isReports !== true || namesType(condition)) return inner;
  const agents: AstList = ['=', 'type', 'agent'];
  const isNothing = inner === ELIDED || inner === null || (isList(inner) && inner.length === 0);
  return isNothing ? agents : ['and', inner, agents];
}

function namesType(condition: Ast): boolean {
  if (!isList(condition)) return false;
  const [operator, field] = condition;
  const name = String(operator);
  if (name === 'and' || name === 'or' || name === 'not') return condition.slice(1).some(namesType);
  return field === 'type' && (COMPARISONS.includes(name) || name === 'null?' || isInArray(condition));
}

function isInArray([operator, , values]: AstList): boolean {
  return operator === 'in' && isList(values) && values[0] === 'array';
}

function restrictSubqueries(condition: Ast): Ast {
  if (!isList(condition)) return condition;
  const [operator = null, first = null, second = null] = condition;
  if (operator === 'and' || operator === 'or' || operator === 'not') {
    return [operator, ...condition.slice(1).map(restrictSubqueries)];
  }
  if (operator === 'subquery' && condition.length === 3) {
    return [operator, first, restrict(findSubquery(`select_${String(first)}`), second)];
  }
  if (operator !== 'in' || isInArray(condition) || !isList(second)) return condition;
  return [operator, first, second[0] === 'from' ? restrictFrom(second) : restrictSelect(second)];
}

/** `["from", entity, ["extract", fields, condition], paging…]` */
function restrictFrom(subquery: AstList): Ast {
  const [operator = null, name = null, extract = null, ...paging] = subquery;
  if (!isList(extract) || extract[0] !== 'extract') return subquery;
  const [word = null, columns = null, condition = ELIDED, ...others] = extract;
  const restricted = restrict(findSubquery(`select_${String(name)}`), condition);
  const tail = restricted === ELIDED ? [] : [restricted, ...others];
  return [operator, name, [word, columns, ...tail], ...paging];
}

/** `["extract", fields, ["select_entity", condition]]` */
function restrictSelect(subquery: AstList): Ast {
  const [word = null, columns = null, select = null] = subquery;
  if (word !== 'extract' || !isList(select)) return subquery;
  const [operator = null, condition = ELIDED, ...others] = select;
  const source = findSubquery(operator);
  if (source === undefined) return subquery;
  const restricted = restrict(source, condition);
  return [word, columns, restricted === ELIDED ? select : [operator, restricted, ...others]];
}
