import {
  type Ast,
  type AstList,
  type AstMap,
  isAstNumber,
  isInteger,
  isList,
  isMap,
  printAst,
  printClause,
} from '../ast/ast.ts';
import { readJsonQuery } from '../ast/json-reader.ts';
import { QueryFailed, QueryRefused } from '../ast/query-error.ts';
import { parsePql } from '../pql/parse-pql.ts';
import type { OrderTerm } from './paging-clauses.ts';

/** Parameters of a request, besides its path. */
export interface InventoryParameters {
  readonly query: Ast;
  readonly limit: number | bigint | null;
  readonly offset: number | bigint | null;
  readonly order: readonly OrderTerm[] | null;
  readonly includesTotal: boolean;
  readonly isPretty: boolean;
  readonly isAstOnly: boolean;
  readonly isExplained: boolean;
  readonly includesFactExpiration: boolean;
  readonly includesPackages: boolean;
  /** Whether only the newest event of each resource counts; null when not asked. */
  readonly distinct: { readonly isDistinct: boolean; readonly start: Ast; readonly end: Ast } | null;
  readonly summarizeBy: string | null;
  readonly countBy: string | null;
  readonly countsFilter: Ast;
}

/** Parameters that a path takes. */
export interface KnownParameters {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** Parameters of a request by name: texts of an address, or values of a JSON body. */
export type RawParameters = ReadonlyMap<string, Ast>;

/** Reads a query that is JSON alone, or JSON or PQL. */
export function readQueryText(text: string, allowsPql: boolean): Ast {
  return allowsPql && !/^\s*\[/.test(text) ? parsePql(text) : readJsonQuery(text);
}

/** The parameters of a GET request: all values are texts. */
export function readAddressParameters(given: ReadonlyMap<string, string>, allowsPql: boolean): RawParameters {
  const parameters = new Map<string, Ast>(given);
  const query = given.get('query');
  if (query !== undefined) parameters.set('query', readQueryText(query, allowsPql));
  const order = given.get('order_by');
  if (order !== undefined) parameters.set('order_by', readOrderText(order));
  const filter = given.get('counts_filter');
  if (filter !== undefined) parameters.set('counts_filter', readJsonQuery(filter));
  return parameters;
}

/** The parameters of a POST request: the members of its JSON object. */
export function readBodyParameters(body: Ast, allowsPql: boolean): RawParameters {
  if (!isMap(body)) throw new QueryFailed(`${printClause(body)} is not a map of parameters`);
  const parameters = new Map(body);
  const query = body.get('query') ?? null;
  parameters.set('query', typeof query === 'string' ? readQueryText(query, allowsPql) : query);
  return parameters;
}

function readOrderText(text: string): Ast {
  try {
    return readJsonQuery(text);
  } catch {
    throw new QueryRefused(`Illegal value '${text}' for :order_by; expected a JSON array of maps.`);
  }
}

/** Refuses parameters that the path does not take, and those that it lacks. */
export function checkParameterNames(given: Iterable<string>, { required, optional }: KnownParameters): void {
  const names = [...given];
  const missing = required.find((name) => !names.includes(name));
  if (missing !== undefined) throw new QueryRefused(`Missing required query parameter '${missing}'`);
  const unknown = names.find((name) => !required.includes(name) && !optional.includes(name));
  if (unknown !== undefined) throw new QueryRefused(`Unsupported query parameter '${unknown}'`);
}

/** Checks and converts parameters. Throws QueryRefused. */
export function convertParameters(raw: RawParameters, known: KnownParameters): InventoryParameters {
  checkParameterNames(raw.keys(), known);
  const flag = (name: string): boolean => isTrue(raw.get(name) ?? null);
  const query = raw.get('query') ?? null;
  if (query !== null && !isList(query)) throw new QueryFailed(`${printClause(query)} is not a query`);
  return {
    query,
    isAstOnly: flag('ast_only'),
    order: readOrder(raw.get('order_by') ?? null),
    limit: readLimit(raw.get('limit') ?? null),
    offset: readOffset(raw.get('offset') ?? null),
    includesTotal: flag('include_total'),
    isPretty: flag('pretty'),
    isExplained: readExplain(raw.get('explain') ?? null),
    includesFactExpiration: flag('include_facts_expiration'),
    includesPackages: flag('include_package_inventory'),
    distinct: readDistinct(raw),
    summarizeBy: readText(raw.get('summarize_by') ?? null),
    countBy: readText(raw.get('count_by') ?? null),
    countsFilter: raw.get('counts_filter') ?? null,
  };
}

function isTrue(value: Ast): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}

function readText(value: Ast): string | null {
  if (value === null || typeof value === 'string') return value;
  throw new QueryFailed(`${printClause(value)} is not a text`);
}

function readLimit(value: Ast): number | bigint | null {
  if (value === null) return null;
  const limit = readInt(value);
  if (limit !== null && limit > 0) return limit;
  throw new QueryRefused(`Illegal value '${printAst(value)}' for :limit; expected a positive non-zero integer.`);
}

function readOffset(value: Ast): number | bigint | null {
  if (value === null) return null;
  const offset = readInt(value);
  if (offset !== null && offset >= 0) return offset;
  throw new QueryRefused(`Illegal value '${printAst(value)}' for :offset; expected a non-negative integer.`);
}

/** A whole number; in a text, one of 32 bits. */
function readInt(value: Ast): number | bigint | null {
  if (isInteger(value)) return value;
  if (typeof value !== 'string') throw new QueryFailed(`${printClause(value)} is not a number`);
  const number = /^[-+]?\d+$/.test(value) ? Number(value) : Number.NaN;
  return number >= -(2 ** 31) && number < 2 ** 31 ? number : null;
}

function readExplain(value: Ast): boolean {
  if (value === null || value === 'analyze') return value === 'analyze';
  throw new QueryRefused(`Illegal value '${printAst(value)}' for :explain; expected \`analyze\`.`);
}

function readOrder(value: Ast): readonly OrderTerm[] | null {
  if (value === null) return null;
  const isEmpty = value === '' || (isMap(value) && value.size === 0);
  if (isEmpty) return [];
  if (typeof value === 'boolean' || isAstNumber(value)) {
    throw new QueryRefused(`Don't know how to create ISeq from: ${nameJavaClass(value)}`);
  }
  if (!isList(value) || !value.every(isMap)) {
    throw new QueryRefused(`Illegal value '${printAst(value)}' for :order_by; expected an array of maps.`);
  }
  const terms = value as readonly AstMap[];
  for (const term of terms) refuseUnknownKey(term);
  for (const term of terms) {
    if (!term.has('field')) refuseTerm(term, "; missing required key 'field'.".replaceAll("'", ''));
  }
  return terms.map(readTerm);
}

/** The class of Java that PuppetDB reads the JSON as. */
function nameJavaClass(value: Ast): string {
  if (typeof value === 'boolean') return 'java.lang.Boolean';
  if (!isInteger(value)) return 'java.lang.Double';
  const size = BigInt(value);
  if (BigInt.asIntN(32, size) === size) return 'java.lang.Integer';
  return BigInt.asIntN(64, size) === size ? 'java.lang.Long' : 'java.math.BigInteger';
}

function refuseUnknownKey(term: AstMap): void {
  const unknown = [...term.keys()].find((key) => key !== 'field' && key !== 'order');
  if (unknown !== undefined) refuseTerm(term, `; unknown key '${unknown}'.`);
}

function readTerm(term: AstMap): OrderTerm {
  const order = term.get('order') ?? null;
  const direction = order === null ? 'asc' : printAst(order).toLowerCase();
  if (direction !== 'asc' && direction !== 'desc') refuseTerm(term, "; 'order' must be either 'asc' or 'desc'");
  return [printAst(term.get('field')), direction === 'asc' ? 'asc' : 'desc'];
}

function refuseTerm(term: AstMap, reason: string): never {
  throw new QueryRefused(`Illegal value '${printAst(term)}' in :order_by${reason}`);
}

const DISTINCT = ['distinct_resources', 'distinct_start_time', 'distinct_end_time'];

function readDistinct(raw: RawParameters): InventoryParameters['distinct'] {
  const present = DISTINCT.filter((name) => raw.has(name));
  if (present.length === 0) return null;
  const [resources, start, end] = DISTINCT.map((name) => raw.get(name) ?? null) as AstList;
  if (present.length === 3) return { isDistinct: isTrue(resources ?? null), start: start ?? null, end: end ?? null };
  const isTimesOnly = present.length === 2 && !present.includes('distinct_resources');
  throw new QueryRefused(
    isTimesOnly
      ? "'distinct_resources' query parameter must accompany parameters 'distinct_start_time' and 'distinct_end_time'"
      : "'distinct_resources' query parameter requires accompanying parameters 'distinct_start_time' and 'distinct_end_time'",
  );
}

/** The parameters of a request without any. */
export const NO_PARAMETERS: InventoryParameters = convertParameters(new Map(), { required: [], optional: [] });
