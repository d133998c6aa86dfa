import { type Ast, type AstList, isInteger, isList, printAst, Real, writeJson } from '../ast/ast.ts';
import { QueryFailed, QueryRefused } from '../ast/query-error.ts';
import { bind, type Sql } from '../database/sql.ts';

/** PuppetDB's words, with its slip in the place of the path. */
const WRONG_PATH = 'Path array element wasnt string or integer in {0}';
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n];

/** A value of a query with the SQL type of its JSON type, so that unlike types do not compare. */
export function bindValue(value: Ast): Sql {
  if (value === null) return bind(null, 'varchar');
  if (typeof value === 'string') return bindText(value, 'varchar');
  if (typeof value === 'boolean') return bind(String(value), 'boolean');
  if (value instanceof Real) return bind(String(value.value), 'float8');
  if (isInteger(value)) return bind(String(value), BigInt(value) < LEAST || BigInt(value) > MOST ? 'numeric' : 'int8');
  throw new QueryFailed(`Can't compare a column with ${printAst(value)}`);
}

/** A text, which PostgreSQL cannot hold with the character 0. */
export function bindText(value: string, type = 'text'): Sql {
  if (value.includes('\u0000')) throw new QueryFailed('ERROR: invalid byte sequence for encoding "UTF8": 0x00');
  return bind(value, type);
}

/** A value as jsonb. The character 0, which jsonb cannot hold, is replaced. */
export function bindJson(value: Ast): Sql {
  return bind(writeDocument(value), 'jsonb');
}

function writeDocument(value: Ast): string {
  return replaceNulls(writeJson(value));
}

/** JSON text without the character 0. */
export function replaceNulls(json: string): string {
  return json.replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1\ufffd');
}

/** A list as an array of texts. */
export function bindTexts(values: readonly string[]): Sql {
  return bindText(writeArray(values), 'text[]');
}

/** A list as an array of jsonb. */
export function bindDocuments(values: AstList): Sql {
  return bind(writeArray(values.map(writeDocument)), 'jsonb[]');
}

/** A list of texts in the form of a PostgreSQL array. */
export function writeArray(values: readonly (string | null)[]): string {
  const quoted = values.map((value) => (value === null ? 'null' : `"${value.replace(/["\\]/g, '\\$&')}"`));
  return `{${quoted.join(',')}}`;
}

/** The elements of a path of facts: names and indexes. Refuses what is neither. */
export function readPath(path: Ast): readonly { readonly name: string; readonly isIndex: boolean }[] {
  if (typeof path === 'string') throw new QueryRefused(WRONG_PATH);
  if (!isList(path)) throw new QueryFailed(`${printAst(path)} is not a path`);
  return path.map((element) => {
    if (typeof element === 'string') return { name: element, isIndex: false };
    if (isInteger(element)) return { name: String(element), isIndex: true };
    throw new QueryRefused(WRONG_PATH);
  });
}

/** A path as `fact_paths` stores it: elements joined by `#~`, numbers that are names in quotes. */
export function encodePath(path: readonly { readonly name: string; readonly isIndex: boolean }[]): string {
  return path.map(({ name, isIndex }) => (isIndex ? name : encodeName(name))).join('#~');
}

function encodeName(name: string): string {
  const quoted = /^\d*$/.test(name) ? `"${name}"` : name;
  return quoted.replace(/(\\?#)(\\*\\?~)/g, '\\$1\\$2');
}

/** The expression that a list of expressions for elements of a path stands for. */
export function encodePathPattern(path: readonly { readonly name: string; readonly isIndex: boolean }[]): string {
  const elements = path.map(({ name, isIndex }) => {
    if (isIndex) return { name, isIndex };
    const bounded = name.replace(/\.\*/g, '(?:((?!#~).)+|.?)').replace(/\.(\+|\{.+\})/g, '(?:(?!#~).)$1');
    return { name: bounded, isIndex };
  });
  return `^${encodePath(elements)}$`;
}
