import { type Ast, type AstList, isList, Real } from '../ast/ast.ts';
import { readInteger } from '../ast/json-reader.ts';
import { QueryFailed, QueryRefused } from '../ast/query-error.ts';

const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n];
const PAGING = ['limit', 'offset', 'order_by'];

/** The content of a string in single quotes: `\'` is a quote, any other backslash is itself. */
export function readSingleQuoted(text: string): string {
  return text.replaceAll("\\'", "'");
}

/** The content of a string in double quotes, with the escapes of JSON. Fails for any other. */
export function readDoubleQuoted(text: string): string {
  try {
    const escaped = text.replace(/[\n\r\t\b\f]/g, (char) => JSON.stringify(char).slice(1, -1));
    return JSON.parse(`"${escaped}"`) as string;
  } catch {
    throw new QueryFailed(`Unrecognized character escape in "${text}"`);
  }
}

/** A whole number of 64 bits; refuses a longer one. */
export function makeInteger(parts: readonly unknown[]): number | bigint {
  const digits = parts.join('');
  const exact = BigInt(digits);
  if (exact < LEAST || exact > MOST) throw new QueryRefused(`For input string: "${digits}"`);
  return readInteger(digits);
}

/** A double. */
export function makeReal(parts: readonly unknown[]): Real {
  return new Real(Number(parts.join('')));
}

/** `["function", name, argument…]` */
export function makeFunction(parts: readonly unknown[]): AstList {
  return ['function', ...(parts as AstList)];
}

/** `[operator, field, value]`; `!=` and `!~` are negations. */
export function makeComparison(parts: readonly unknown[]): AstList {
  const [field = null, operator = null, value = null] = parts as AstList;
  if (operator === '!=') return ['not', ['=', field, value]];
  if (operator === '!~') return ['not', ['~', field, value]];
  return [operator, field, value];
}

/** `["not", clause]` */
export function makeNot(parts: readonly unknown[]): AstList {
  return ['not', ...(parts as AstList)];
}

/** The clause itself, or `["and", clause…]` of several. */
export function makeAnd(parts: readonly unknown[]): Ast {
  return join('and', parts as AstList);
}

/** The clause itself, or `["or", clause…]` of several. */
export function makeOr(parts: readonly unknown[]): Ast {
  return join('or', parts as AstList);
}

function join(operator: string, clauses: AstList): Ast {
  return clauses.length === 1 ? (clauses[0] ?? null) : [operator, ...clauses];
}

/** The field of an `order by`, with its direction where there is one. */
export function makeOrderParameter(parts: readonly unknown[]): Ast {
  const [field = null, direction] = parts as AstList;
  return direction === undefined ? field : [field, direction];
}

/** `["subquery", entity, clause]`. Fails for more than one clause. */
export function makeSubquery(parts: readonly unknown[]): AstList {
  if (parts.length > 2) throw new QueryFailed(`Wrong number of args (${parts.length}) passed to a subquery`);
  return ['subquery', ...(parts as AstList)];
}

/** `["from", entity, …]`; a projection takes the filter and the grouping into itself. */
export function makeFrom(parts: readonly unknown[]): AstList {
  const [entity = null, ...clauses] = parts as AstList;
  const paging = clauses.filter(isPaging);
  const [first = null, ...others] = clauses.filter((clause) => !isPaging(clause));
  const isProjected = isList(first) && first[0] === 'extract' && others.length > 0;
  return isProjected ? ['from', entity, [...first, ...others], ...paging] : ['from', entity, ...clauses];
}

function isPaging(clause: Ast): boolean {
  return isList(clause) && PAGING.includes(String(clause[0]));
}
