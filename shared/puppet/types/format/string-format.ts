import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import type { PType } from '../ptype.ts';
import type { TextLayout } from './sprintf.ts';

const FORMAT = /^%([\s[+#0{<(|-]*)([1-9][0-9]*)?(?:\.([0-9]+))?([a-zA-Z])$/m;
const DELIMITERS: Readonly<Record<string, readonly [string, string]>> = {
  '[': ['[', ']'],
  '{': ['{', '}'],
  '(': ['(', ')'],
  '<': ['<', '>'],
  '|': ['|', '|'],
};

/** Formats by type, in order. The first type to which the value's type is assignable decides. */
export type FormatMap = readonly (readonly [PType, Format])[];

interface ContainerOptions {
  readonly separator?: string | null;
  /** The separator between a key and its value. */
  readonly separator2?: string | null;
  /** The formats of the elements. */
  readonly elements?: FormatMap | null;
}

/** A format such as `%#08x`. Follows the Format of lib/puppet/pops/types/string_converter.rb. */
export class Format implements TextLayout {
  readonly text: string;
  readonly flags: string;
  readonly width: number | null;
  readonly precision: number | null;
  readonly letter: string;
  readonly separator: string | null;
  readonly separator2: string | null;
  readonly elements: FormatMap | null;

  /** Throws PuppetError when the text is not a format. */
  constructor(text: string, options: ContainerOptions = {}) {
    const match = FORMAT.exec(text);
    if (!match) {
      throw new PuppetError(ISSUES.FORMAT_INVALID({ text }));
    }
    const [, flags = '', width, precision, letter = ''] = match;
    if (new Set(flags).size !== flags.length) {
      throw new PuppetError(ISSUES.FORMAT_FLAG_REPEATED({ text }));
    }
    if ([...flags].filter((flag) => flag in DELIMITERS).length > 1) {
      throw new PuppetError(ISSUES.FORMAT_DELIMITERS_REPEATED({ text }));
    }
    this.text = text;
    this.flags = flags;
    this.letter = letter;
    this.width = width === undefined ? null : Number(width);
    this.precision = precision === undefined ? null : Number(precision);
    this.separator = options.separator ?? null;
    this.separator2 = options.separator2 ?? null;
    this.elements = options.elements ?? null;
  }

  /** Whether it has the `#` flag: the alternative form. */
  get isAlternative(): boolean {
    return this.flags.includes('#');
  }

  get isLeft(): boolean {
    return this.flags.includes('-');
  }

  getDelimiters(standard: readonly [string, string]): readonly [string, string] {
    const chosen = [...this.flags].find((flag) => flag in DELIMITERS);
    if (chosen !== undefined) return DELIMITERS[chosen] ?? standard;
    return this.flags.includes(' ') ? ['', ''] : standard;
  }

  /** Returns `other`, with its missing parts taken from this format. */
  overlaidWith(other: Format): Format {
    return new Format(other.text, {
      separator: other.separator ?? this.separator,
      separator2: other.separator2 ?? this.separator2,
      elements: mergeFormats(this.elements, other.elements),
    });
  }
}

/**
 * Overlays `lower` with `higher`. A more general type of `higher` hides formats of narrower types.
 */
export function mergeFormats(lower: FormatMap | null, higher: FormatMap | null): FormatMap | null {
  if (lower === null || higher === null) return lower ?? higher;
  const kept = lower.filter(([type]) => !higher.some(([other]) => !other.equals(type) && other.isAssignable(type)));
  const merged = new Map<string, [PType, Format]>();
  for (const [type, format] of [...kept, ...higher]) {
    const key = type.equalityKey();
    const below = merged.get(key);
    merged.set(key, [type, below ? below[1].overlaidWith(format) : format]);
  }
  return rubySorted([...merged.values()], ([a], [b]) => compareTypes(a, b));
}

/**
 * A merge sort like that of the C library, which Ruby uses on Linux. `compareTypes` is not a
 * consistent order, so that the result depends on the algorithm.
 */
function rubySorted<T>(items: readonly T[], compare: (a: T, b: T) => number): T[] {
  if (items.length < 2) return [...items];
  const half = Math.floor(items.length / 2);
  const left = rubySorted(items.slice(0, half), compare);
  const right = rubySorted(items.slice(half), compare);
  const sorted: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length && r < right.length) {
    const [first, second] = [left[l] as T, right[r] as T];
    if (compare(first, second) <= 0) l += sorted.push(first) && 1;
    else r += sorted.push(second) && 1;
  }
  return [...sorted, ...left.slice(l), ...right.slice(r)];
}

const RANKS: Readonly<Record<string, number>> = {
  Struct: 1,
  Hash: 2,
  Tuple: 3,
  Array: 4,
  Pattern: 10,
  Enum: 11,
  String: 12,
};

/** Orders narrower types first. */
function compareTypes(a: PType, b: PType): number {
  if (a.equals(b)) return 0;
  const [narrower, wider] = [b.isAssignable(a), a.isAssignable(b)];
  if (narrower !== wider) return narrower ? -1 : 1;
  const [rankA, rankB] = [RANKS[a.kind] ?? 0, RANKS[b.kind] ?? 0];
  if (rankA === 0 || rankB === 0) return a.toString() < b.toString() ? -1 : a.toString() > b.toString() ? 1 : 0;
  return rankA - rankB;
}
