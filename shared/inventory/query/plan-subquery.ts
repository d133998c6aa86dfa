import { type Ast, type AstList, isInteger, isList, printAst, printClause } from '../ast/ast.ts';
import { QueryFailed } from '../ast/query-error.ts';
import { constantSql, joinSql, type Sql, sql } from '../database/sql.ts';
import type { Entity, EntityField, FieldType } from './entity.ts';
import { findSubquery } from './entity-registry.ts';
import { readPagingClauses } from './paging-clauses.ts';
import { refuseClause } from './refuse-clause.ts';

type PlanCondition = (entity: Entity, clause: Ast) => Sql;

interface Subquery {
  readonly entity: Entity;
  readonly columns: readonly EntityField[];
  readonly condition: Ast;
  /** Paging of the subquery, if any. */
  readonly paging: Sql;
}

/** Rows whose fields are among the rows of a subquery. */
export function planMembership(entity: Entity, fields: readonly EntityField[], operand: Ast, plan: PlanCondition): Sql {
  if (!isList(operand)) refuseClause();
  const subquery = readSubquery(entity, operand);
  const { entity: source, condition } = subquery;
  if (subquery.columns.length < fields.length) throw new QueryFailed('ERROR: subquery has too few columns');
  // The first columns are compared, and others ignored.
  const selected = fields.map((field, index) => sql`${convert(subquery.columns[index], field)} as ${named(index)}`);
  const conditions = [
    ...(source.where === undefined ? [] : [source.where]),
    ...(condition === null ? [] : [plan(source, condition)]),
  ];
  const where = conditions.length === 0 ? sql`` : sql` where ${joinSql(conditions, ' and ')}`;
  const rows = sql`select ${joinSql(selected, ', ')} from ${source.from}${where}${subquery.paging}`;
  return sql`((${joinSql(fields.map(columnOf), ', ')}) in (${rows}))`;
}

const named = (index: number): Sql => constantSql(`c${index + 1}`);

function readSubquery(entity: Entity, clause: AstList): Subquery {
  const [operator, first = null, second = null, ...clauses] = clause;
  if (operator === 'from') return readFrom(printAst(first), second, clauses);
  if (operator !== 'extract') refuseClause();
  const [name, condition = null] = isList(second) ? second : [];
  const source = findSubquery(name);
  if (source === undefined) throw new QueryFailed(`${printClause(clause)} is not a subquery of ${entity.name}`);
  return { entity: source, columns: readColumns(source, first), condition, paging: sql`` };
}

function readFrom(name: string, query: Ast, clauses: AstList): Subquery {
  const entity = findSubquery(`select_${name.replaceAll('-', '_')}`);
  if (entity === undefined) throw new QueryFailed(`there is no entity ${name}`);
  if (!isList(query) || query[0] !== 'extract') throw new QueryFailed(`the subquery on ${name} extracts no fields`);
  const [, columns = null, condition = null] = query;
  return { entity, columns: readColumns(entity, columns), condition, paging: planPaging(entity, clauses) };
}

function readColumns(entity: Entity, columns: Ast): readonly EntityField[] {
  const names = isList(columns) ? columns.filter((column) => !isList(column)) : [columns];
  return names.map((name) => {
    const field = entity.fields.get(printAst(name));
    if (field === undefined) throw new QueryFailed(`${printClause(name)} is not a field of ${entity.name}`);
    return field;
  });
}

function planPaging(entity: Entity, clauses: AstList): Sql {
  const { limit, offset, order } = readPagingClauses(clauses);
  const parts: Sql[] = [];
  if (order !== null && order.length > 0) {
    const terms = order.map(([name, direction]) => {
      const column = entity.fields.get(name)?.sql ?? null;
      if (column === null) throw new QueryFailed(`column "${name}" does not exist`);
      return constantSql(`${column} ${direction}`);
    });
    parts.push(sql` order by ${joinSql(terms, ', ')}`);
  }
  for (const [word, count] of [
    ['limit', limit],
    ['offset', offset],
  ] as const) {
    if (count === null) continue;
    if (!isInteger(count)) throw new QueryFailed(`${printAst(count)} is no number of rows`);
    parts.push(constantSql(` ${word} ${count}`));
  }
  return joinSql(parts, '');
}

function columnOf({ sql: column }: EntityField): Sql {
  if (column === null) throw new QueryFailed('the field has no column');
  return constantSql(column);
}

const LIKE: Partial<Record<FieldType, Partial<Record<FieldType, (column: string) => string>>>> = {
  string: { 'jsonb-scalar': (column) => `to_jsonb(${column})` },
  'jsonb-scalar': {
    numeric: (column) => `(${column} #>> '{}')::numeric`,
    string: (column) => `(${column} #>> '{}')::text`,
  },
};

/** A column of a subquery in the type of the field that it is compared with. */
function convert(inner: EntityField | undefined, outer: EntityField): Sql {
  if (inner === undefined) throw new QueryFailed('ERROR: subquery has too few columns');
  const column = columnOf(inner);
  if (inner.type === outer.type) return column;
  const conversion = LIKE[inner.type]?.[outer.type];
  if (conversion === undefined || inner.sql === null) {
    throw new QueryFailed(`a field of type ${inner.type} cannot be compared with one of type ${outer.type}`);
  }
  return constantSql(conversion(inner.sql));
}
