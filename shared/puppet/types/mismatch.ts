/** The kinds of type mismatches and their texts. */

import { RICH_DATA } from './data-types.ts';
import { defaultOfKind } from './default-types.ts';
import { formatExpanded } from './format/type-formatter.ts';
import { ObjectType } from './objects/object-type.ts';
import type { PType } from './ptype.ts';
import { resolveAliases } from './reference-types.ts';
import { IntegerType } from './scalar-types.ts';
import { StringType } from './string-types.ts';
import { addArticle } from './text/text.ts';
import { OptionalType, VariantType, variantOf } from './wrapper-types.ts';

/** One step of the path from the checked value to the part that mismatches. */
interface PathElement {
  readonly how: 'subject' | 'entry' | 'key' | 'parameter' | 'return' | 'block' | 'index' | 'variant' | 'signature';
  readonly key: string | number;
}

function pathElementText({ how, key }: PathElement): string {
  switch (how) {
    case 'entry':
      return `entry '${key}'`;
    case 'key':
      return `key of entry '${key}'`;
    case 'parameter':
      return `parameter '${key}'`;
    case 'index':
      return `index ${key}`;
    case 'variant':
      return `variant ${key}`;
    case 'signature':
      return `${Number(key) + 1}.`;
    default:
      return String(key);
  }
}

export type Path = readonly PathElement[];

/** `what` names the class of the mismatch. `merge` says whether several of them can become one. */
export interface Mismatch {
  readonly what: 'type' | 'pattern' | 'size' | 'count' | 'missing-block' | 'unexpected-block' | 'other';
  readonly path: Path;
  readonly expected: PType | null;
  readonly actual: PType | null;
  /** The text behind the position. */
  readonly text: string;
}

function createMismatch(
  what: Mismatch['what'],
  path: Path,
  text: string,
  expected: PType | null = null,
  actual: PType | null = null,
): Mismatch {
  return { what, path, text, expected, actual };
}

export function otherMismatch(path: Path, text: string): Mismatch {
  return createMismatch('other', path, text);
}

export function createMissingBlock(path: Path): Mismatch {
  return createMismatch('missing-block', path, 'expects a block');
}

export function createUnexpectedBlock(path: Path): Mismatch {
  return createMismatch('unexpected-block', path, 'does not expect a block');
}

export function typeMismatch(path: Path, expected: PType, actual: PType): Mismatch {
  const [wanted, got] = [expected.normalize(), actual.normalize()];
  return createMismatch('type', path, typeText(wanted, got), wanted, got);
}

export function patternMismatch(path: Path, expected: PType, actual: PType): Mismatch {
  const [wanted, got] = [expected.normalize(), actual.normalize()];
  return createMismatch('pattern', path, patternText(wanted, got), wanted, got);
}

export function sizeMismatch(path: Path, expected: IntegerType, actual: IntegerType): Mismatch {
  const text = `expects size to be ${rangeText(expected, '0')}, got ${rangeText(actual, '0')}`;
  return createMismatch('size', path, text, expected, actual);
}

export function countMismatch(path: Path, expected: IntegerType, actual: IntegerType): Mismatch {
  const { from, to } = expected.toSize();
  const single = (from === 1n && (to === 1n || to === null)) || (from === 0n && to === 1n);
  const text = `expects ${rangeText(expected, 'no')} argument${single ? '' : 's'}, got ${rangeText(actual, 'none')}`;
  return createMismatch('count', path, text, expected, actual);
}

/** The mismatch as Puppet prints it, with a leading blank. */
export function formatMismatch({ path, text }: Mismatch): string {
  const [first, ...rest] = path;
  const variant = first?.how === 'signature' ? ` ${pathElementText(first)}` : '';
  const shown = variant === '' ? path : rest;
  const position = shown.length === 0 ? '' : ` ${shown.map(pathElementText).join(' ')}`;
  return `${variant}${position} ${text}`;
}

/** A key of the path that ignores the tried alternatives. */
function canonicalKey(path: Path): string {
  return path
    .filter(({ how }) => how !== 'variant' && how !== 'signature')
    .map(({ how, key }) => `${how}:${key}`)
    .join('|');
}

export function samePlace(a: Mismatch, b: Mismatch): boolean {
  return canonicalKey(a.path) === canonicalKey(b.path);
}

/**
 * Merges two mismatches of the same class at the same place: to either type, or to the union of
 * both ranges.
 */
export function mergeMismatches(a: Mismatch, b: Mismatch): Mismatch {
  if (a.expected === null || b.expected === null || a.actual === null) return a;
  if (a.expected instanceof IntegerType && b.expected instanceof IntegerType && a.actual instanceof IntegerType) {
    const range = spanOf(a.expected, b.expected);
    if (a.what === 'count') return countMismatch(a.path, range, a.actual);
    if (a.what === 'size') return sizeMismatch(a.path, range, a.actual);
  }
  const expected = variantOf([a.expected, b.expected]);
  return a.what === 'pattern' ? patternMismatch(a.path, expected, a.actual) : typeMismatch(a.path, expected, a.actual);
}

function spanOf(a: IntegerType, b: IntegerType): IntegerType {
  const from = (a.from ?? 0n) < (b.from ?? 0n) ? (a.from ?? 0n) : (b.from ?? 0n);
  const to = a.to === null || b.to === null ? null : a.to > b.to ? a.to : b.to;
  return new IntegerType(from, to);
}

/** The mismatch without the path element at `index`. */
export function withoutPathElement(item: Mismatch, index: number): Mismatch {
  return { ...item, path: item.path.filter((_, at) => at !== index) };
}

function rangeText(range: IntegerType, zero: string): string {
  const from = range.from ?? 0n;
  const { to } = range;
  if (to !== null && from === to) return from === 0n ? zero : `${from}`;
  if (from === 0n) return to === null ? 'unlimited' : `at most ${to}`;
  return to === null ? `at least ${from}` : `between ${from} and ${to}`;
}

function typeText(expected: PType, actual: PType): string {
  const optional = expected instanceof OptionalType;
  const wanted = expected instanceof OptionalType ? (expected.type ?? expected) : expected;
  const options = wanted instanceof VariantType ? wanted.types : [wanted];
  const detailed = options.some((type) => isOfKind(type, actual)) || options.some((type) => fitsDefault(type, actual));
  const names = detailed ? options.map(formatExpanded) : [...new Set(options.map(shortName))];
  const shown = optional ? ['Undef', ...names] : names;
  const got = detailed ? describeActual(options, actual) : shortName(actual);
  const [only = '', second = ''] = shown;
  if (shown.length === 1) {
    return `expects ${addArticle(only)} value, got ${got}`;
  }
  const list = shown.length === 2 ? `${only} or ${second}` : `${shown.slice(0, -1).join(', ')}, or ${shown.at(-1)}`;
  return `expects a value of type ${list}, got ${got}`;
}

/** Whether only the full texts of both types show the difference. */
function isOfKind(expected: PType, actual: PType): boolean {
  if (expected.kind === actual.kind || expected.kind === 'TypeAlias' || actual.kind === 'TypeAlias') return true;
  if (expected.kind === 'Struct') return actual.kind === 'Hash';
  return expected.kind === 'Tuple' && actual.kind === 'Array';
}

function fitsDefault(expected: PType, actual: PType): boolean {
  const { kind } = resolveAliases(expected);
  if (kind === 'Init') return RICH_DATA.isAssignable(actual);
  // Puppet: it has no default of its own and inherits that of Any.
  if (kind === 'ObjectExtension') return true;
  return defaultOfKind(resolveAliases(expected)).isAssignable(actual);
}

function describeActual(options: readonly PType[], actual: PType): string {
  const resolved = options.map(resolveAliases);
  if (resolved.some((type) => isOfKind(type, actual))) return formatExpanded(actual);
  const general = actual.generalize();
  if (resolved.some((type) => type.isAssignable(general))) return formatExpanded(actual);
  return simpleName(actual);
}

function simpleName(type: PType): string {
  if (type.kind === 'Object' || type.kind === 'ObjectExtension') return type.name.split('::').at(-1) ?? type.name;
  return type.kind;
}

const CONTAINERS: ReadonlySet<string> = new Set([
  'Type',
  'NotUndef',
  'Optional',
  'Iterable',
  'Iterator',
  'Sensitive',
  'Init',
]);

function shortName(type: PType): string {
  const inner = CONTAINERS.has(type.kind) ? contentOf(type) : null;
  if (inner === null || inner.kind === 'Any') return type.name;
  return `${type.name}[${inner instanceof ObjectType && inner.declaredName === null ? '' : inner.name}]`;
}

function contentOf(type: PType): PType | null {
  return 'type' in type ? (type.type as PType | null) : null;
}

function patternText(expected: PType, actual: PType): string {
  const optional = expected instanceof OptionalType;
  const wanted = expected instanceof OptionalType ? (expected.type ?? expected) : expected;
  const got = actual instanceof StringType && actual.value !== null ? `'${actual.value}'` : shortName(actual);
  return `expects ${optional ? 'an undef value or ' : ''}a match for ${formatExpanded(wanted)}, got ${got}`;
}
