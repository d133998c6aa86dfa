import { PuppetError } from '../errors/puppet-error.ts';
import { looselyEquals } from './equality.ts';
/** Matching of `case` options, selectors and type parameters. Puppet: CompareOperator#match. */
import { PType } from './ptype.ts';
import { BytesText, INVALID_SEQUENCE, plainText } from './values/bytes-text.ts';
import { PuppetHash } from './values/puppet-hash.ts';
import { PuppetRegexp } from './values/regexp.ts';
import { DEFAULT, type Value } from './values/values.ts';
import { SemVer } from './versions/sem-ver.ts';
import { SemVerRange } from './versions/sem-ver-range.ts';

/** Scope in which the groups of a regular expression that matched become variables. */
export interface MatchScope {
  pushMatch(groups: readonly (Value | undefined)[]): void;
}

/**
 * Whether a case or selector option matches the value: by regular expression, type, version range,
 * structure or equality. A regular expression that matched sets the match variables of `scope`.
 */
export function matchOption(pattern: Value, value: Value, scope: MatchScope | null): boolean {
  if (typeof pattern !== 'object' || pattern === null) return looselyEquals(value, pattern);
  if (pattern instanceof PuppetRegexp) return isStringOrBytes(value) && matchRegexp(pattern, value, scope);
  if (pattern instanceof PType) return pattern.isInstance(value);
  if (pattern === DEFAULT) return true;
  if (pattern instanceof SemVer) return isVersion(pattern, value);
  if (pattern instanceof SemVerRange) return isInRange(pattern, value);
  if (Array.isArray(pattern)) return matchArray(pattern, value, scope);
  if (pattern instanceof PuppetHash) return matchHash(pattern, value, scope);
  return looselyEquals(value, pattern);
}

function matchArray(pattern: readonly Value[], value: Value, scope: MatchScope | null): boolean {
  if (!Array.isArray(value) || value.length !== pattern.length) return false;
  const elements: readonly Value[] = value;
  return pattern.every((each, index) => matchOption(each, elements[index] ?? null, scope));
}

function matchHash(pattern: PuppetHash, value: Value, scope: MatchScope | null): boolean {
  if (!(value instanceof PuppetHash)) return false;
  for (const [key, each] of pattern.entries()) if (!matchOption(each, value.get(key) ?? null, scope)) return false;
  return true;
}

/** Matches and, in a scope, makes the groups its match variables. */
export function matchRegexp(pattern: PuppetRegexp, text: string | BytesText, scope: MatchScope | null): boolean {
  const isBytes = text instanceof BytesText;
  if (isBytes && text.isBroken) throw new PuppetError(INVALID_SEQUENCE);
  const match = pattern.exec(isBytes ? text.text : text);
  if (match && scope) scope.pushMatch(isBytes ? match.map(toBytes) : match);
  return match !== null;
}

function toBytes(group: string | undefined): BytesText | undefined {
  return group === undefined ? undefined : new BytesText(group);
}

export function isStringOrBytes(value: Value): value is string | BytesText {
  return typeof value === 'string' || value instanceof BytesText;
}

/** Whether the version (or a string that is one) is in the range. */
export function isInRange(range: SemVerRange, value: Value): boolean {
  const version = asVersion(value);
  return version !== null && range.includes(version);
}

function isVersion(pattern: SemVer, value: Value): boolean {
  return asVersion(value)?.equalityKey() === pattern.equalityKey();
}

function asVersion(value: Value): SemVer | null {
  if (value instanceof SemVer) return value;
  const text = plainText(value);
  return typeof text === 'string' && SemVer.isValid(text) ? SemVer.parse(text) : null;
}
