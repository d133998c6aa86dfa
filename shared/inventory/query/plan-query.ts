import { type Ast, type AstList, isInteger, isList, printAst, printClause } from '../ast/ast.ts';
import { parseFieldPath } from '../ast/field-path.ts';
import { QueryFailed, QueryRefused } from '../ast/query-error.ts';
import { constantSql, joinSql, quoteName, type Sql, sql } from '../database/sql.ts';
import { ELIDED } from './elided.ts';
import { type Entity, projectableFields } from './entity.ts';
import { findSubquery } from './entity-registry.ts';
import type { OrderTerm } from './paging-clauses.ts';
import { planCondition } from './plan-condition.ts';
import { planSubtree } from './plan-dotted.ts';
import { FUNCTIONS, planFunction } from './plan-function.ts';

/** Page and order of a query's rows. */
export interface Page {
  readonly limit: Ast;
  readonly offset: Ast;
  readonly order: readonly OrderTerm[];
}

/** PostgreSQL's limit for names of columns. */
const LONGEST_NAME = 63;

interface Column {
  readonly name: string;
  readonly shown: Sql;
}

interface Selection {
  readonly columns: readonly Column[];
  readonly condition: Ast;
  readonly grouping: Sql;
}

/** The rows of an expanded query, with a column for each field: as answers show them, or raw. */
export function planRows(entity: Entity, query: Ast, page: Page | null, isRaw = false): Sql {
  const { columns, condition, grouping } = readSelection(entity, query, isRaw);
  const conditions = [
    ...(entity.where === undefined ? [] : [entity.where]),
    ...(condition === null || condition === ELIDED ? [] : [planCondition(entity, condition)]),
  ];
  const where = conditions.length === 0 ? sql`` : sql` where ${joinSql(conditions, ' and ')}`;
  const selected = nameColumns(columns).map(({ name, shown }) => sql`${shown} as ${quoteName(name)}`);
  const distinct = constantSql(entity.isDistinct === true ? 'distinct ' : '');
  const tail = sql`${grouping}${page === null ? sql`` : planPage(entity, page)}`;
  return sql`select ${distinct}${joinSql(selected, ', ')} from ${entity.from}${where}${tail}`;
}

function readSelection(entity: Entity, query: Ast, isRaw: boolean): Selection {
  const all = () => projectableFields(entity).map((name) => planColumn(entity, name, isRaw));
  if (!isList(query) || query.length === 0) return { columns: all(), condition: null, grouping: sql`` };
  const [operator, columns = null, first, second] = query;
  if (operator !== 'extract') return { columns: all(), condition: query, grouping: sql`` };
  const isGroup = (clause: Ast | undefined): clause is AstList => isList(clause) && clause[0] === 'group_by';
  const group = isGroup(first) && query.length === 3 ? first : isGroup(second) && query.length === 4 ? second : null;
  if (group === null && query.length > 3) return { columns: all(), condition: null, grouping: sql`` };
  const condition = first === group ? null : (first ?? null);
  if (isList(condition) && findSubquery(condition[0]) !== undefined) {
    throw new QueryFailed(`${printClause(condition)} is not a condition`);
  }
  const { fields, functions } = splitColumns(columns);
  const calls = functions.map((call) => planFunction(entity, call));
  const named = fields.map((name) => planColumn(entity, name, isRaw));
  const selected = named.length + calls.length === 0 ? all() : [...named, ...calls];
  const grouping = group === null ? sql`` : planGrouping(entity, group.slice(1), selected);
  return { columns: selected, condition, grouping };
}

function splitColumns(columns: Ast): { readonly fields: readonly string[]; readonly functions: readonly AstList[] } {
  const named = isList(columns) ? columns : [columns];
  const functions = named.filter((column): column is AstList => isList(column));
  return { fields: named.filter((column) => !isList(column)).map(printAst), functions };
}

function planColumn(entity: Entity, name: string, isRaw: boolean): Column {
  if (name.length > LONGEST_NAME) {
    throw new QueryRefused(`Projected field name '${name.length}' exceeds current maximum length of 63 characters`);
  }
  const { top, path } = parseFieldPath(name);
  const field = entity.fields.get(top);
  if (field === undefined || field.sql === null) throw new QueryFailed(`${entity.name} has no column ${name}`);
  if (path.length > 0) return { name, shown: planSubtree(name, field) };
  return { name, shown: constantSql(isRaw ? field.sql : (field.shown ?? field.sql)) };
}

/** Columns with different names: the second `certname` is `certname_2`. */
function nameColumns(columns: readonly Column[]): readonly Column[] {
  const taken = new Set<string>();
  return columns.map(({ name, shown }) => {
    let unique = name;
    for (let count = 2; taken.has(unique); count++) unique = `${name}_${count}`;
    taken.add(unique);
    return { name: unique, shown };
  });
}

/**
 * Groups by columns of the entity, and by the place of dotted fields and functions in the answer:
 * their text has values, which PostgreSQL would not take for the same.
 */
function planGrouping(entity: Entity, entries: AstList, columns: readonly Column[]): Sql {
  const terms = entries.map((entry) => {
    const name = printAst(isList(entry) ? entry[1] : entry);
    const { top, path } = parseFieldPath(name);
    const isDotted = path.length > 0 && entity.fields.has(top);
    const column = entity.fields.get(name)?.sql ?? null;
    if (column !== null) return constantSql(column);
    if (!isDotted && !FUNCTIONS.has(name)) {
      throw new QueryRefused(`${printClause(name)} is niether a valid column name nor function name`);
    }
    const place = columns.findIndex((one) => one.name === name);
    if (place < 0) throw new QueryFailed(`ERROR: column "${name}" does not exist`);
    return constantSql(String(place + 1));
  });
  return terms.length === 0 ? sql`` : sql` group by ${joinSql(terms, ', ')}`;
}

function planPage(entity: Entity, { limit, offset, order }: Page): Sql {
  const terms = order.map(([name, direction]) => {
    const column = entity.fields.get(name)?.sql ?? null;
    if (column === null) throw new QueryFailed(`${entity.name} cannot be ordered by ${name}`);
    return constantSql(`${column} ${direction}`);
  });
  const ordering = terms.length === 0 ? sql`` : sql` order by ${joinSql(terms, ', ')}`;
  return sql`${ordering}${planCount('limit', limit, 1)}${planCount('offset', offset, 0)}`;
}

/** ` limit 5`, or nothing. Fails for what is no number of rows. */
export function planCount(word: 'limit' | 'offset', count: Ast, least: number): Sql {
  if (count === null) return sql``;
  if (!isInteger(count) || count < least) throw new QueryFailed(`${printAst(count)} is no ${word}`);
  return constantSql(` ${word} ${count}`);
}
