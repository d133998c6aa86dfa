import { type Ast, type AstList, isList, printArgument, printAst, printClause } from '../ast/ast.ts';
import { parseFieldPath } from '../ast/field-path.ts';
import { listNames, QueryFailed, QueryRefused } from '../ast/query-error.ts';
import type { ClauseContexts } from './contexts.ts';
import { type Entity, projectableFields, queryableFields } from './entity.ts';
import { findSubquery } from './entity-registry.ts';
import { FUNCTIONS } from './plan-function.ts';

/** Operators of two operands. */
export const COMPARISONS: ReadonlySet<string> = new Set(['=', '>', '<', '>=', '<=', '~', '~>']);
const STRUCTURE = ['from', 'in', 'extract', 'subquery', 'and', 'or', 'not', 'function', 'group_by', 'null?'];
const FIELD_COMPARISONS = ['=', '~', '>', '<', '<=', '>='];

/**
 * Finds fields and operators that the entity of each clause does not have, notes that entity for
 * later steps, and gives the query with operators in lower case. Throws QueryRefused with a line
 * for each mistake.
 */
export function checkInventoryQuery(query: Ast, entity: Entity | undefined, contexts: ClauseContexts): Ast {
  const mistakes: string[] = [];
  const checked = new QueryCheck(contexts, mistakes).check(query, entity);
  if (mistakes.length > 0) throw new QueryRefused(mistakes.join('\n'));
  return checked;
}

class QueryCheck {
  readonly #contexts: ClauseContexts;
  readonly #mistakes: string[];

  constructor(contexts: ClauseContexts, mistakes: string[]) {
    this.#contexts = contexts;
    this.#mistakes = mistakes;
  }

  check(node: Ast, entity: Entity | undefined): Ast {
    if (!isList(node)) return node;
    const nested = this.#checkNested(node, entity);
    if (nested !== null) return nested;
    this.#checkClause(node, entity);
    const [operator, ...operands] = lowerOperator(node);
    const checked = node.length === 0 ? [] : [operator, ...operands].map((one) => this.check(one ?? null, entity));
    return this.#contexts.note(checked, entity);
  }

  /** Checks a clause that changes the entity; null for other clauses. */
  #checkNested(node: AstList, entity: Entity | undefined): Ast | null {
    const [operator, first = null, second, ...more] = node;
    if (operator === 'from' && second !== undefined) {
      const source = findSubquery(`select_${printAst(first)}`);
      const query = checkInventoryQuery(second, source, this.#contexts);
      return this.#contexts.note(['from', first, query, ...more], isList(query) ? this.#contexts.of(query) : undefined);
    }
    if (operator === 'subquery' && second !== undefined && more.length === 0) {
      const query = checkInventoryQuery(second, findSubquery(`select_${printAst(first)}`), this.#contexts);
      return this.#contexts.note(['subquery', first, query], entity);
    }
    if (operator === 'extract' && isList(second) && second.length === 2 && more.length === 0) {
      return this.#checkExtractOfSubquery(first, second, entity);
    }
    return null;
  }

  #checkExtractOfSubquery(columns: Ast, [name = null, query = null]: AstList, entity: Entity | undefined): Ast | null {
    const source = findSubquery(name);
    if (source === undefined) return this.#refuseSubquery(columns, [name, query], entity);
    const checked = checkInventoryQuery(query, source, this.#contexts);
    this.#noteUnknown(columns, queryableFields(source), source.dottedProjections, source.name, "Can't extract", '');
    const subquery = this.#contexts.note([name, checked], source);
    return this.#contexts.note(['extract', columns, subquery], source);
  }

  #refuseSubquery(columns: Ast, subquery: AstList, entity: Entity | undefined): Ast | null {
    const [name] = subquery;
    if (name === 'not' || name === 'group_by' || name === 'or' || name === 'and') return null;
    if (typeof name !== 'string') throw new QueryFailed(`${printClause(name)} is not an operator`);
    const meant = name.replaceAll('-', '_');
    const hint = findSubquery(meant) === undefined ? '' : ` - did you mean \`${meant}\`?`;
    this.#mistakes.push(`Unsupported subquery \`${name}\`${hint}`);
    return this.#contexts.note(['extract', columns, subquery], entity);
  }

  #checkClause(node: AstList, entity: Entity | undefined): void {
    const [operator, field = null, ...operands] = node;
    if (node.length === 3 && FIELD_COMPARISONS.includes(String(operator))) {
      if (field !== 'node_state') this.#noteUnqueryable(field, entity);
    } else if (operator === 'extract' && node.length >= 2) this.#checkExtract(field, operands, entity);
    else if (operator === 'in' && node.length >= 2) this.#checkIn(field, operands, entity);
  }

  #checkExtract(columns: Ast, operands: AstList, entity: Entity | undefined): void {
    const [fields, dotted] = entity === undefined ? [[], []] : [projectableFields(entity), entity.dottedProjections];
    const hasUnknown = this.#noteUnknown(columns, fields, dotted, entity?.name ?? '', "Can't extract", '');
    if (hasUnknown) return;
    const clause = findForeignClause(operands);
    if (clause !== null) this.#mistakes.push(`${printClause(clause)} is not a valid expression for "extract"`);
  }

  #checkIn(field: Ast, [values]: AstList, entity: Entity | undefined): void {
    if (isList(values) && values.length === 2 && values[0] === 'array') this.#noteUnqueryable(field, entity);
    else {
      const fields = entity === undefined ? [] : queryableFields(entity);
      this.#noteUnknown(field, fields, [], entity?.name ?? '', "Can't match on", " for 'in'");
    }
  }

  #noteUnqueryable(field: Ast, entity: Entity | undefined): void {
    if (isList(field)) return;
    const known = entity === undefined ? [] : queryableFields(entity);
    const name = printArgument(field);
    if (known.includes(name) || isDotted(name, entity)) return;
    const alias = entity?.name ?? 'null';
    this.#mistakes.push(
      known.length === 0
        ? `'${name}' is not a queryable object for ${alias}. Entity ${alias} has no queryable objects`
        : `'${name}' is not a queryable object for ${alias}. Known queryable objects are ${listNames(known)}`,
    );
  }

  #noteUnknown(
    columns: Ast,
    fields: readonly string[],
    dotted: readonly string[],
    alias: string,
    action: string,
    context: string,
  ): boolean {
    const named = isList(columns) ? columns : [columns];
    const unknown = named.filter((column) => !isKnownColumn(column, fields, dotted));
    if (unknown.length === 0) return false;
    const noun = unknown.length === 1 ? 'field' : 'fields';
    const names = listNames(unknown.map(printAst));
    this.#mistakes.push(
      `${action} unknown '${alias}' ${noun} ${names}${context}. Acceptable fields are ${listNames(fields)}`,
    );
    return true;
  }
}

function isKnownColumn(column: Ast, fields: readonly string[], dotted: readonly string[]): boolean {
  if (isList(column)) return column[0] === 'function' && FUNCTIONS.has(String(column[1]));
  if (typeof column !== 'string') return false;
  if (fields.includes(column)) return true;
  const { top, path } = parseFieldPath(column);
  return path.length > 0 && dotted.includes(top);
}

function isDotted(name: string, entity: Entity | undefined): boolean {
  const found = /^([a-z]+)\..*$/.exec(name);
  return found !== null && (entity?.dottedFields.includes(found[1] ?? '') ?? false);
}

/** A clause below `extract` whose operator is unknown; null when there is none. */
function findForeignClause(clauses: AstList): Ast | null {
  for (const clause of clauses) {
    if (!isList(clause)) continue;
    const [operator] = clause;
    if (operator === 'and' || operator === 'or') {
      const found = findForeignClause(clause);
      if (found !== null) return found;
    } else if (!isOperator(operator)) return clause;
  }
  return null;
}

function isOperator(operator: Ast | undefined): boolean {
  if (typeof operator !== 'string') return false;
  return STRUCTURE.includes(operator) || COMPARISONS.has(operator) || findSubquery(operator) !== undefined;
}

function lowerOperator(node: AstList): AstList {
  const [operator, ...operands] = node;
  if (typeof operator !== 'string' || !isOperator(operator.toLowerCase())) return node;
  return [operator.toLowerCase(), ...operands];
}
