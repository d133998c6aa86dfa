import { type Ast, type AstList, isAstNumber, isList, printArgument, printAst, printClause } from '../ast/ast.ts';
import { parseFieldPath } from '../ast/field-path.ts';
import { QueryFailed, QueryRefused } from '../ast/query-error.ts';
import { bind, constantSql, joinSql, type Sql, sql } from '../database/sql.ts';
import type { Entity, EntityField } from './entity.ts';
import { planContains, planNullOperand, planPathComparison } from './plan-dotted.ts';
import { planFunctionComparison } from './plan-function.ts';
import { planMembership } from './plan-subquery.ts';
import {
  bindDocuments,
  bindJson,
  bindText,
  bindTexts,
  bindValue,
  encodePath,
  encodePathPattern,
  readPath,
  writeArray,
} from './plan-values.ts';
import { refuseClause } from './refuse-clause.ts';
import { readTime, requireTime, writeTime } from './timestamps.ts';

/** The SQL of a condition. Throws QueryRefused and QueryFailed. */
export function planCondition(entity: Entity, clause: Ast): Sql {
  const planned = isList(clause) ? planClause(entity, clause) : null;
  if (planned === null) refuseClause();
  return planned;
}

function planClause(entity: Entity, clause: AstList): Sql | null {
  const [operator, first = null, second = null] = clause;
  switch (operator) {
    case 'and':
    case 'or':
      return planAll(entity, operator, clause.slice(1));
    case 'not':
      return clause.length === 2 ? planNegation(entity, first) : null;
    case 'null?':
      return clause.length === 3 ? planNull(entity, first, second) : null;
    case 'in':
      return clause.length === 3 ? planIn(entity, first, second) : null;
    default:
      return clause.length === 3 ? planComparison(entity, String(operator), first, second) : null;
  }
}

/**
 * PuppetDB: `not` binds to the comparison of a path, and not to the condition beside it that the
 * path is there. In `and` and `or`, that condition is negated, too.
 */
function planNegation(entity: Entity, clause: Ast): Sql {
  let [inner, isNegated] = [clause, true];
  while (isList(inner) && inner[0] === 'not' && inner.length === 2) {
    [inner, isNegated] = [inner[1] ?? null, !isNegated];
  }
  const comparison = isList(inner) ? planPathClause(entity, inner, isNegated) : null;
  return comparison ?? sql`(not ${planCondition(entity, clause)})`;
}

/** A clause that compares the value at a path; null for others. */
function planPathClause(entity: Entity, [operator, name, value = null]: AstList, isNegated: boolean): Sql | null {
  const field = typeof name === 'string' ? entity.fields.get(parseFieldPath(name).top) : undefined;
  if (typeof name !== 'string' || field?.type !== 'queryable-json') return null;
  const isPath = ORDERS.includes(String(operator)) || operator === '~' || (operator === '=' && hasIndex(name));
  return isPath ? planPathComparison(name, field, [String(operator), value], isNegated) : null;
}

const ORDERS = ['<', '>', '<=', '>='];

function planAll(entity: Entity, operator: 'and' | 'or', clauses: AstList): Sql {
  if (clauses.length === 0) return constantSql(operator === 'and' ? 'true' : 'false');
  const planned = clauses.map((clause) => planCondition(entity, clause));
  return sql`(${joinSql(planned, ` ${operator} `)})`;
}

function planComparison(entity: Entity, operator: string, name: Ast, value: Ast): Sql | null {
  const isOrder = ORDERS.includes(operator);
  if (isList(name) && name[0] === 'function' && operator !== '~>') {
    return isOrder || operator === '=' || operator === '~'
      ? planFunctionComparison(entity, operator, name, value)
      : null;
  }
  if (operator === '=') return planEquality(entity, requireName(name), value);
  if (isOrder) return planOrder(entity, operator, requireName(name), value);
  if (operator === '~') return planPattern(entity, requireName(name), value);
  return operator === '~>' ? planFactPathPatterns(entity, requireName(name), value) : null;
}

function requireName(name: Ast): string {
  if (typeof name === 'string') return name;
  throw new QueryFailed(`${printClause(name)} is not a field`);
}

function fieldOf(entity: Entity, name: string): EntityField {
  const field = entity.fields.get(parseFieldPath(name).top);
  if (field === undefined) throw new QueryFailed(`${entity.name} has no field ${name}`);
  return field;
}

function columnOf({ sql: column }: EntityField): Sql {
  if (column === null) throw new QueryFailed('the field has no column');
  return constantSql(column);
}

function planEquality(entity: Entity, name: string, value: Ast): Sql {
  const field = fieldOf(entity, name);
  switch (field.type) {
    case 'timestamp':
      return sql`(${columnOf(field)} = ${bind(requireTime(value, printArgument(value)), 'timestamptz')})`;
    case 'array':
      return sql`(array[${bindText(printAst(value))}] <@ ${columnOf(field)})`;
    case 'encoded-path':
      return sql`(${columnOf(field)} = ${bindText(encodePath(readPath(value)))})`;
    case 'path-array':
      return planFactPath(value);
    case 'queryable-json':
      return hasIndex(name) ? planPathComparison(name, field, ['=', value]) : planContains(name, field, value);
    case 'jsonb-scalar':
      return sql`(${columnOf(field)} = ${bindJson(value)})`;
    default:
      return sql`(${columnOf(field)} = ${bindValue(value)})`;
  }
}

const hasIndex = (name: string): boolean => parseFieldPath(name).path.some(({ kind }) => kind === 'index');

function planOrder(entity: Entity, operator: string, name: string, value: Ast): Sql {
  const field = fieldOf(entity, name);
  const comparison = constantSql(` ${operator} `);
  if (field.type === 'timestamp') {
    return sql`(${columnOf(field)}${comparison}${bind(requireTime(value, printArgument(value)), 'timestamptz')})`;
  }
  if (field.type === 'numeric' && isAstNumber(value)) return sql`(${columnOf(field)}${comparison}${bindValue(value)})`;
  if (field.type === 'jsonb-scalar' && isAstNumber(value))
    return sql`(${columnOf(field)}${comparison}${bindJson(value)})`;
  if (field.type === 'queryable-json') return planPathComparison(name, field, [operator, value]);
  throw new QueryRefused(`Argument "${printArgument(value)}" and operator "${operator}" have incompatible types.`);
}

function planPattern(entity: Entity, name: string, value: Ast): Sql {
  const field = fieldOf(entity, name);
  if (field.type === 'queryable-json') return planPathComparison(name, field, ['~', value]);
  const pattern = bindValue(value);
  if (field.type === 'array') return sql`exists (select from unnest(${columnOf(field)}) item where item ~ ${pattern})`;
  if (field.type === 'jsonb-scalar') return sql`((${columnOf(field)} #>> '{}') ~ ${pattern})`;
  return sql`(${columnOf(field)} ~ ${pattern} and ${columnOf(field)} is not null)`;
}

function planFactPathPatterns(entity: Entity, name: string, value: Ast): Sql {
  const field = fieldOf(entity, name);
  if (field.type === 'path-array') return planFactPathPattern(value);
  if (field.type !== 'encoded-path') throw new QueryRefused(`No matching clause: :${field.type}`);
  return sql`(${columnOf(field)} ~ ${bindText(encodePathPattern(readPath(value)))})`;
}

function planNull(entity: Entity, name: Ast, isNull: Ast): Sql {
  const text = requireName(name);
  const field = entity.fields.get(parseFieldPath(text, true).top);
  if (field === undefined) throw new QueryFailed(`${entity.name} has no field ${text}`);
  const wanted = isNull !== null && isNull !== false;
  const isJson = field.type === 'queryable-json' || field.type === 'jsonb-scalar';
  if (!isJson) return sql`(${columnOf(field)} is ${constantSql(wanted ? 'null' : 'not null')})`;
  const operand = field.type === 'queryable-json' ? planNullOperand(text, field) : columnOf(field);
  return sql`(jsonb_typeof(${operand}) ${constantSql(wanted ? '=' : '<>')} 'null')`;
}

function planIn(entity: Entity, names: Ast, operand: Ast): Sql {
  if (isList(operand) && operand.length === 2 && operand[0] === 'array') {
    return planInArray(entity, requireName(names), operand[1] ?? null);
  }
  const fields = (isList(names) ? names : [names]).map((name) => fieldNamed(entity, name));
  return planMembership(entity, fields, operand, planCondition);
}

function fieldNamed(entity: Entity, name: Ast): EntityField {
  const field = typeof name === 'string' ? entity.fields.get(name) : undefined;
  if (field === undefined) throw new QueryFailed(`${printClause(name)} is not a field of ${entity.name}`);
  return field;
}

function planInArray(entity: Entity, name: string, values: Ast): Sql {
  const field = fieldNamed(entity, name);
  if (!isList(values)) throw new QueryRefused("Operator 'array' requires a vector argument".replaceAll("'", ''));
  switch (field.type) {
    case 'array':
      throw new QueryRefused('Operator in...array is not supported on array types');
    case 'timestamp': {
      const times = values.map((value) => readTime(value)).map((time) => (time === null ? null : writeTime(time)));
      return sql`(${columnOf(field)} = any(${bind(writeArray(times), 'timestamptz[]')}))`;
    }
    case 'encoded-path':
      return sql`(${columnOf(field)} = any(${bindTexts(values.map((value) => encodePath(readPath(value))))}))`;
    case 'path-array':
      return planFactPaths(values);
    case 'jsonb-scalar':
      return sql`(${columnOf(field)} = any(${bindDocuments(values)}))`;
    default:
      return sql`(${columnOf(field)} = any(${bindTexts(values.map(printAst))}))`;
  }
}

/** Fact contents whose path is the given one; names and indexes of the same text differ. */
function planFactPath(path: Ast): Sql {
  const elements = readPath(path);
  const types = elements.map(({ isIndex }) => (isIndex ? 'i' : 's')).join('');
  return sql`(fc.path = ${bindTexts(elements.map(({ name }) => name))} and fc.types = ${bind(types)})`;
}

/** Fact contents whose path is one of those given. */
function planFactPaths(paths: AstList): Sql {
  if (paths.length === 0) throw new QueryFailed('ERROR: syntax error at or near ")"');
  return sql`(${joinSql(paths.map(planFactPath), ' or ')})`;
}

/** Fact contents of whose path each element matches its expression; a whole number is an index. */
function planFactPathPattern(path: Ast): Sql {
  const elements = readPath(path);
  const types = elements.map(({ name, isIndex }) => (isIndex ? 'i' : /^\d+$/.test(name) ? 's' : '_')).join('');
  const matches = elements.map(
    ({ name }, index) => sql`fc.path[${constantSql(String(index + 1))}] ~ ${bindText(name)}`,
  );
  const length = constantSql(String(elements.length));
  const conditions = joinSql([sql`fc.types like ${bind(types)}`, ...matches], ' and ');
  return sql`(case when array_length(fc.path, 1) = ${length} then ${conditions} else false end)`;
}
