import { QueryFailed } from './query-error.ts';

/** A part of a dotted field: a name, a name with an array index, or a regexp for names. */
export type FieldPart =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly name: string; readonly index: number }
  | { readonly kind: 'match'; readonly pattern: string };

/** A field of a query, split at its dots: `facts."a.b".c[0]`, `facts.disks.match("sd.*").size`. */
interface FieldPath {
  readonly top: string;
  readonly path: readonly FieldPart[];
}

const TOP = /[a-zA-Z][_0-9a-zA-Z]*\??(?=\.|$)/y;
const MATCH = /match\("(.*[^\\])"\)(?=\.|$)/sy;
const QUOTED = /"(.*?[^\\])"(?=\.|$)/sy;
const PLAIN = /[^.]+(?=\.|$)/y;
const INDEXED = /^(.+)\[(\d+)\]$/s;

/**
 * Splits a field. With `literal`, `match(…)` and `[0]` are parts of names, as PuppetDB treats them
 * in `null?`. Throws QueryFailed for a field that cannot be split.
 */
export function parseFieldPath(field: string, literal = false): FieldPath {
  if (field === '') throw new QueryFailed('Empty AST field');
  const top = matchAt(TOP, field, 0);
  if (top === null) throw new QueryFailed(`First component of AST field is invalid: ${JSON.stringify(field)}`);
  const path: FieldPart[] = [];
  for (let at = top[0].length; at < field.length; ) {
    const start = at + 1;
    const [part, length] = readPart(field, start, literal);
    path.push(part);
    at = start + length;
  }
  return { top: top[0], path };
}

function readPart(field: string, at: number, literal: boolean): readonly [FieldPart, number] {
  if (field.startsWith('""', at)) throw new QueryFailed(`Empty AST field component at character ${at}: "${field}"`);
  const match = literal ? null : matchAt(MATCH, field, at);
  if (match !== null) return [{ kind: 'match', pattern: match[1] ?? '' }, match[0].length];
  const found = matchAt(QUOTED, field, at) ?? matchAt(PLAIN, field, at);
  if (found === null) {
    throw new QueryFailed(`Don't recognize AST field component at character ${at}: "${field}"`);
  }
  return [namePart(found[1] ?? found[0], literal), found[0].length];
}

function namePart(name: string, literal: boolean): FieldPart {
  const indexed = literal ? null : INDEXED.exec(name);
  if (indexed === null) return { kind: 'name', name };
  return { kind: 'index', name: indexed[1] ?? '', index: Number(indexed[2]) };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * Joins names to a dotted field, and quotes names with a dot. Throws QueryFailed for a name with a
 * dot that ends in a backslash, which the syntax cannot quote.
 */
export function writeFieldPath(names: readonly string[]): string {
  const quoted = names.map((name) => {
    if (/^.*\..*\\$/s.test(name)) {
      throw new QueryFailed(`Currently unable to match this path: ${JSON.stringify(name)}`);
    }
    return name.includes('.') ? `"${name}"` : name;
  });
  return quoted.join('.');
}
