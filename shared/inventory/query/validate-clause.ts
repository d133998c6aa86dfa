import { type Ast, type AstList, isInteger, isList, isMap, printAst, Real } from '../ast/ast.ts';
import { parseFieldPath } from '../ast/field-path.ts';
import { QueryFailed, QueryRefused } from '../ast/query-error.ts';
import { COMPARISONS } from './check-query.ts';
import { ELIDED } from './elided.ts';
import type { Entity } from './entity.ts';

const ORDERED = ['numeric', 'timestamp', 'jsonb-scalar'];
const PATHS = ['encoded-path', 'path-array'];

/** Checks a clause's operands: their number, and that their types fit the operator. */
export function validateClause(clause: AstList, entity: Entity | undefined): void {
  const [operator, field, value] = clause;
  const operands = clause.slice(1);
  if (operator === '=' && operands.length === 2) validateEquality(field, value, entity);
  else if (isOrder(operator) && operands.length === 2 && isPlainField(field)) validateOrder(field, entity);
  else if (operator === '~>' && operands.length === 2) validatePath(field, entity);
  else if (operator === 'and') validateAnd(operands);
  else if (operator === 'or' && operands.length === 0) {
    throw new QueryRefused("'or' takes at least one argument, but none were supplied");
  } else if (operator === 'not' && operands.length !== 1) {
    throw new QueryRefused(`'not' takes exactly one argument, but ${operands.length} were supplied`);
  } else if (typeof operator === 'string' && COMPARISONS.has(operator)) validateOperands(operator, operands);
}

const isOrder = (operator: Ast | undefined): boolean => ['>', '>=', '<', '<='].includes(String(operator));

function isPlainField(field: Ast | undefined): boolean {
  if (typeof field !== 'string') throw new QueryFailed(`${printAst(field)} is not a field`);
  return parseFieldPath(field).path.length === 0;
}

function typeOfField(field: Ast | undefined, entity: Entity | undefined): string {
  return entity?.fields.get(String(field))?.type ?? '';
}

function validateEquality(field: Ast | undefined, value: Ast | undefined, entity: Entity | undefined): void {
  if (typeof value !== 'string' || isList(field) || typeOfField(field, entity) !== 'numeric') return;
  throw new QueryRefused(`Argument "${value}" is incompatible with numeric field "${printAst(field)}".`);
}

function validateOrder(field: Ast | undefined, entity: Entity | undefined): void {
  if (ORDERED.includes(typeOfField(field, entity))) return;
  throw new QueryRefused(`Query operators >,>=,<,<= are not allowed on field ${printAst(field)}`);
}

function validatePath(field: Ast | undefined, entity: Entity | undefined): void {
  if (PATHS.includes(typeOfField(field, entity))) return;
  throw new QueryRefused(`Query operator ~> is not allowed on field ${printAst(field)}`);
}

function validateAnd(operands: AstList): void {
  if (operands.length === 0) throw new QueryRefused("'and' takes at least one argument, but none were supplied");
  const isEmpty = (operand: Ast): boolean => {
    if (operand === ELIDED) return false;
    if (operand === null || operand === '') return true;
    if (isMap(operand)) return operand.size === 0;
    if (isList(operand)) return operand.length === 0;
    if (typeof operand === 'string') return false;
    throw new QueryRefused(`Don't know how to create ISeq from: ${javaClass(operand)}`);
  };
  if (operands.some(isEmpty)) {
    throw new QueryRefused('[] is not well-formed: queries must contain at least one operator');
  }
}

function javaClass(value: Ast): string {
  if (typeof value === 'boolean') return 'java.lang.Boolean';
  return value instanceof Real ? 'java.lang.Double' : 'java.lang.Long';
}

function validateOperands(operator: string, operands: AstList): void {
  const [field, value] = operands;
  if (operands.length !== 2) throw new QueryRefused(`${operator} requires exactly two arguments`);
  const isField =
    typeof field === 'string' ||
    (isList(field) && field.length === 2 && field.every((part) => typeof part === 'string'));
  const isNull = operator === '~' && value === null;
  if (!isField || !(isNull || isComparable(value))) throw new QueryRefused(`Invalid ${operator} clause`);
}

function isComparable(value: Ast | undefined): boolean {
  if (isList(value)) return value.every((part) => typeof part === 'string' || isInteger(part));
  return typeof value === 'string' || typeof value === 'boolean' || isInteger(value) || value instanceof Real;
}
