/**
 * A number with a fraction or an exponent. Whole numbers are `number` or, beyond 2^53, `bigint`:
 * PuppetDB distinguishes 1 from 1.0 in paths and messages.
 */
export class Real {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A JSON object in a query; none of PuppetDB's operators take one, but values may be objects. */
export type AstMap = ReadonlyMap<string, Ast>;

/** A query in PuppetDB's AST language: JSON whose arrays start with an operator. */
export type Ast = null | boolean | string | number | bigint | Real | AstMap | AstList;

/** An array of the AST language. */
export type AstList = readonly Ast[];

/** Whether the node is an array, and so a clause or a list of values. */
export const isList = (node: Ast | undefined): node is AstList => Array.isArray(node);

/** Whether the node is an object. */
export const isMap = (node: Ast | undefined): node is AstMap => node instanceof Map;

/** Whether the node is a whole number of any size. */
export const isInteger = (node: Ast | undefined): node is number | bigint =>
  typeof node === 'number' || typeof node === 'bigint';

/** Whether the node is a number, whole or not. */
export const isAstNumber = (node: Ast | undefined): node is number | bigint | Real =>
  isInteger(node) || node instanceof Real;

/** JSON text of a node. Whole numbers keep all digits; 1.0 stays `1.0`. */
export function writeJson(node: Ast): string {
  if (isList(node)) return `[${node.map(writeJson).join(',')}]`;
  if (node instanceof Real) return printReal(node.value);
  if (typeof node === 'bigint') return String(node);
  if (isMap(node))
    return `{${[...node].map(([key, value]) => `${JSON.stringify(key)}:${writeJson(value)}`).join(',')}}`;
  return JSON.stringify(node);
}

/** A double as Java prints it: `1.5`, `100.0`, `1.0E-7`, `1.0E10`. */
export function printReal(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) {
    const [digits = '', exponent = '0'] = value.toExponential().split('e');
    return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
  }
  const text = Object.is(value, -0) ? '-0' : String(value);
  return text.includes('.') ? text : `${text}.0`;
}

/** A node as Clojure prints it, which is how PuppetDB's messages quote clauses: `["=" "a" 1]`. */
export function printClause(node: Ast | undefined): string {
  if (node === null || node === undefined) return 'nil';
  if (typeof node === 'string') return printString(node);
  if (isList(node)) return `[${node.map(printClause).join(' ')}]`;
  if (isMap(node))
    return `{${[...node].map(([key, value]) => `${printClause(key)} ${printClause(value)}`).join(', ')}}`;
  return printAst(node);
}

/** A node as an argument of PuppetDB's messages: like `printAst`, and `null` for nothing. */
export function printArgument(node: Ast | undefined): string {
  return node === null || node === undefined ? 'null' : printAst(node);
}

/**
 * A node of a query as Clojure's `str` gives it: like `printClause`, with a string at the top
 * unquoted, and with keywords as the keys of maps.
 */
export function printAst(node: Ast | undefined): string {
  if (node === null || node === undefined) return '';
  if (typeof node === 'string') return node;
  if (node instanceof Real) return printReal(node.value);
  if (isList(node)) return `[${node.map(printInner).join(' ')}]`;
  if (isMap(node)) return `{${[...node].map(([key, value]) => `:${key} ${printInner(value)}`).join(', ')}}`;
  return String(node);
}

function printInner(node: Ast): string {
  return isMap(node) || isList(node) ? printAst(node) : printClause(node);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\b': '\\b',
  '\f': '\\f',
};

function printString(text: string): string {
  return `"${text.replace(/["\\\n\t\r\b\f]/g, (char) => ESCAPES[char] ?? char)}"`;
}
