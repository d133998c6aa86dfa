import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError, RubyFault } from '../errors/lookup-error.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { Explainer } from './explainer.ts';

const NO_SEGMENTS: readonly never[] = [];

/** A step into a hash (a name) or an array (an index). */
export type KeySegment = string | bigint;

/**
 * A dotted lookup key, split into segments: `a.b.0`, `'a.b'.c`. Throws LookupError for a malformed
 * key; `where` describes it in the error: `in key: 'a..b'`. Puppet:
 * lib/puppet/pops/lookup/sub_lookup.rb, lookup_key.rb.
 */
export class LookupKey {
  readonly text: string;
  readonly rootKey: string;
  readonly segments: readonly KeySegment[];
  /** The module of a key that starts with `module::`; null for other keys. */
  readonly moduleName: string | null;

  constructor(text: string) {
    this.text = text;
    if (isPlain(text)) {
      this.rootKey = text;
      this.segments = NO_SEGMENTS;
    } else {
      const [root = '', ...segments] = splitKey(text, `in key: '${text}'`);
      this.rootKey = String(root);
      this.segments = segments;
    }
    const qualifier = this.rootKey.indexOf('::');
    this.moduleName = qualifier < 0 ? null : this.rootKey.slice(0, qualifier);
  }

  /** Follows the segments into the root key's value; undefined when they lead nowhere. */
  dig(value: Value, explainer: Explainer | null): Value | undefined {
    return digSegments(this.text, this.segments, value, explainer);
  }

  /** Builds the root key's value in which the segments lead to `value`. */
  undig(value: Value): Value {
    return this.segments.reduceRight<Value>((inner, segment) => {
      if (typeof segment === 'string') return PuppetHash.of([[segment, inner]]);
      const index = Number(segment);
      // Ruby: Array#[]=
      if (index < 0) throw new RubyFault(`index ${index} too small for array; minimum: 0`);
      const items: Value[] = new Array(index).fill(null);
      return [...items, inner];
    }, value);
  }

  toString(): string {
    return this.text;
  }
}

export const LOOKUP_OPTIONS = 'lookup_options';

/**
 * Splits a key at unquoted dots; numbers become integers. Throws LookupError `Syntax error
 * <where>`.
 */
export function splitKey(key: string, where: string): readonly KeySegment[] {
  if (isPlain(key)) return [key];
  const plain = /['"]/.test(key) ? null : key.split('.');
  if (plain?.every((part) => part !== '')) return plain.map(segmentOf);
  const parts = rubySplit(key, /(\s*"[^"]+"\s*|\s*'[^']+'\s*|[^'".]+)/);
  const segments = parts.slice(1).filter((part) => part !== '.');
  if (parts[0] !== '' || parts.length < 2 || segments.length * 2 !== parts.length) {
    throw new LookupError(ISSUES.LOOKUP_KEY_SYNTAX({ where }));
  }
  return segments.map(segmentOf);
}

/** Whether a key has no dots and no quotes. */
function isPlain(key: string): boolean {
  return !key.includes('.') && !key.includes("'") && !key.includes('"');
}

function segmentOf(part: string): KeySegment {
  const segment = part.trim();
  if (/^["']/.test(segment)) return segment.slice(1, -1);
  return /^[+-]?[0-9]+$/.test(segment) ? BigInt(segment) : segment;
}

/** Ruby's String#split with a capture group: trailing empty strings are dropped. */
function rubySplit(text: string, separator: RegExp): readonly string[] {
  const parts = text.split(separator);
  while (parts.at(-1) === '') parts.pop();
  return parts;
}

/**
 * Follows segments into a value; returns undefined when they lead nowhere. Throws LookupError when
 * a segment meets a value that is neither hash nor array.
 */
export function digSegments(
  key: string,
  segments: readonly KeySegment[],
  value: Value,
  explainer: Explainer | null,
): Value | undefined {
  if (explainer && segments.length > 0) return digExplained(key, segments, value, explainer);
  let current: Value | undefined = value;
  for (let place = 0; place < segments.length && current !== undefined; place += 1) {
    current = step(key, segments[place] ?? '', current);
  }
  return current;
}

function digExplained(
  key: string,
  segments: readonly KeySegment[],
  value: Value,
  explainer: Explainer,
): Value | undefined {
  return explainer.runWithin({ kind: 'sub_key', segments }, () => {
    let current: Value | undefined = value;
    for (const segment of segments) {
      const before: Value = current;
      current = explainer.runWithin({ kind: 'segment' }, () => {
        const next = step(key, segment, before);
        if (next === undefined) explainer.notFound(segment);
        else explainer.noteFound(segment, next);
        return next;
      });
      if (current === undefined) return undefined;
    }
    return current;
  });
}

function step(key: string, segment: KeySegment, value: Value): Value | undefined {
  if (value === null) return undefined;
  if (value instanceof PuppetHash) return value.get(segment);
  if (Array.isArray(value) && typeof segment === 'bigint') {
    return segment >= 0n ? value[Number(segment)] : undefined;
  }
  // Ruby: NoMethodError
  if (typeof value === 'bigint') throw new RubyFault(`undefined method \`include?' for ${value}:Integer`);
  throw new LookupError(ISSUES.DATA_PROVIDER_TYPE_MISMATCH({ actual: rubyClass(value), segment, key }));
}

function rubyClass(value: Exclude<Value, null>): string {
  if (typeof value === 'string') return 'String';
  if (typeof value === 'number') return 'Float';
  if (typeof value === 'boolean') return value ? 'TrueClass' : 'FalseClass';
  return Array.isArray(value) ? 'Array' : value.constructor.name;
}
