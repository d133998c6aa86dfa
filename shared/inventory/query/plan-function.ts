import { type Ast, type AstList, printAst, printClause } from '../ast/ast.ts';
import { QueryRefused } from '../ast/query-error.ts';
import { constantSql, joinSql, type Sql, sql } from '../database/sql.ts';
import { type Entity, queryableFields, showTime } from './entity.ts';
import { bindValue } from './plan-values.ts';

/** Functions of the query language and those of PostgreSQL that they stand for. */
export const FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ['sum', 'sum'],
  ['avg', 'avg'],
  ['min', 'min'],
  ['max', 'max'],
  ['count', 'count'],
  ['to_string', 'to_char'],
  ['jsonb_typeof', 'jsonb_typeof'],
]);

const NUMERIC = ['sum', 'avg', 'min', 'max'];

/** A column of an answer that a function computes. */
interface FunctionColumn {
  readonly name: string;
  /** The value as answers show it. */
  readonly shown: Sql;
}

/** `["function", name, field, argument…]` as a column. Values of facts are taken as numbers. */
export function planFunction(entity: Entity, [, name = null, first, ...others]: AstList): FunctionColumn {
  const called = FUNCTIONS.get(printAst(name));
  if (called === undefined) throw new QueryRefused(`${printClause(name)} is not a valid function`);
  const field = entity.fields.get(printAst(first));
  const call = (argument: Sql) =>
    sql`${constantSql(called)}(${joinSql([argument, ...others.map((other) => bindValue(other))], ', ')})`;
  const text = printAst(name);
  if (first === undefined) return { name: text, shown: call(constantSql('*')) };
  // PuppetDB: an unknown field is null.
  const column = field?.sql ?? 'null';
  const argument = first === 'value' && entity.hasFactValues ? `(${column} #>> '{}')::numeric` : column;
  const isTime = field?.shown === showTime(column) && (called === 'min' || called === 'max');
  return { name: text, shown: isTime ? constantSql(showTime(`${called}(${column})`)) : call(constantSql(argument)) };
}

/** A comparison of a function's result, of which PuppetDB supports few. */
export function planFunctionComparison(entity: Entity, operator: string, call: AstList, value: Ast): Sql {
  const [, name = null, ...parameters] = call;
  const called = printAst(name);
  validateCall(entity, called, parameters);
  if (called === 'to_string') throw new QueryRefused('"to_string" is not a valid function');
  const column = entity.fields.get(printAst(parameters[0]))?.sql ?? '*';
  return sql`(${constantSql(`${FUNCTIONS.get(called)}(${column}) ${operator} `)}${bindValue(value)})`;
}

function validateCall(entity: Entity, name: string, parameters: AstList): void {
  if (!FUNCTIONS.has(name)) throw new QueryRefused(`${printClause(name)} is not a valid function`);
  const allowed = name === 'count' ? [0, 1] : [name === 'to_string' ? 2 : 1];
  if (!allowed.includes(parameters.length)) {
    throw new QueryRefused(`wrong number of arguments (${parameters.length}) provided for function ${name}`);
  }
  const [field] = parameters;
  if (field === undefined) return;
  if (!queryableFields(entity).includes(printAst(field))) {
    throw new QueryRefused(`field ${printClause(field)} is not a valid queryable field`);
  }
  if (NUMERIC.includes(name) && entity.fields.get(printAst(field))?.type !== 'numeric') {
    throw new QueryRefused(`field ${printClause(field)} must be a numeric type`);
  }
}
