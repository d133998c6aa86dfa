/**
 * Defines functions of Puppet's 3.x API. They take one array of untyped arguments, converted to 3.x
 * values. Follows lib/puppet/parser/functions.rb and
 * lib/puppet/pops/evaluator/runtime3_converter.rb.
 */
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { CatalogEntryType } from '../types/catalog-types.ts';
import type { PType } from '../types/ptype.ts';
import { rubyClassName } from '../types/ruby-class.ts';
import { Timespan } from '../types/time/timespan.ts';
import { Timestamp } from '../types/time/timestamp.ts';
import { Binary } from '../types/values/binary.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetIterator } from '../types/values/puppet-iterator.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import type { Value } from '../types/values/values.ts';
import { SemVer } from '../types/versions/sem-ver.ts';
import { SemVerRange } from '../types/versions/sem-ver-range.ts';
import { parameterValue } from './parameter-value.ts';
import type { CallSite, Definitions, PuppetFunction } from './ports.ts';
import { LegacyResourceReference, referenceFor } from './resource-reference.ts';

interface LegacySpec {
  /** Ruby's arity: n means exactly n arguments, -n means at least n - 1. */
  readonly arity: number;
  /** Whether the function returns a value; a statement function returns undef. */
  readonly rvalue: boolean;
  readonly body: (site: CallSite, args: readonly Value[]) => Value;
}

export function defineLegacyFunction(name: string, spec: LegacySpec): PuppetFunction {
  return new LegacyFunction(name, spec);
}

/**
 * Defines a 3.x function whose body is a module's Ruby code. References stay types here; the Ruby
 * port converts them.
 */
export function defineRubyLegacyFunction(name: string, spec: LegacySpec): PuppetFunction {
  return new LegacyFunction(name, spec, true);
}

class LegacyFunction implements PuppetFunction {
  readonly name: string;
  readonly source?: 'other';
  readonly #spec: LegacySpec;
  readonly #keepsTypes: boolean;

  constructor(name: string, spec: LegacySpec, keepsTypes = false) {
    this.name = name;
    this.#spec = spec;
    this.#keepsTypes = keepsTypes;
    if (keepsTypes) this.source = 'other';
  }

  call(site: CallSite, args: readonly Value[]): Value {
    const definitions = this.#keepsTypes ? null : site.context.definitions;
    const converted = args.map((arg) => (arg === null ? '' : toLegacy(arg, definitions)));
    this.#checkCount(converted.length);
    const result = this.#spec.body(site, converted);
    return this.#spec.rvalue ? fromLegacy(result) : null;
  }

  getSignatures(): readonly PType[] {
    return [];
  }

  #checkCount(given: number): void {
    const { arity } = this.#spec;
    if (arity >= 0 && given !== arity) {
      throw new PuppetError(ISSUES.LEGACY_FUNCTION_ARITY({ name: this.name, given, arity }));
    }
    const minimum = Math.abs(arity + 1);
    if (arity < 0 && given < minimum) {
      throw new PuppetError(ISSUES.LEGACY_FUNCTION_MINIMUM_ARITY({ name: this.name, given, minimum }));
    }
  }
}

/**
 * Converts a value to its 3.x form: rich values become text, undef inside collections stays undef.
 * With `definitions`, types that name a catalog entry become references.
 */
function toLegacy(value: Value, definitions: Definitions | null): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Value) => toLegacy(item, definitions));
  if (value instanceof PuppetHash) {
    const converted = new PuppetHash();
    for (const [key, item] of value) converted.set(toLegacy(key, definitions), toLegacy(item, definitions));
    return converted;
  }
  if (value instanceof PuppetRegexp) return value.inspect();
  if (isRichText(value)) return String(value);
  const reference = definitions && referenceFor(value, definitions);
  if (reference) return reference;
  if (value instanceof PuppetIterator) throw new PuppetError(ISSUES.ITERATOR_NOT_SUPPORTED_HERE());
  if (value instanceof CatalogEntryType && value.kind === 'CatalogEntry') throw namesNothing(value);
  return value;
}

function namesNothing(type: PType): PuppetError {
  const name = rubyClassName(type);
  return new PuppetError(ISSUES.TYPE_NOT_SPLITTABLE({ type: name }));
}

/** Converts a result; references take the form that parameters hold. */
function fromLegacy(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromLegacy);
  if (value instanceof LegacyResourceReference) return parameterValue(value.type);
  if (!(value instanceof PuppetHash)) return value;
  const converted = new PuppetHash();
  for (const [key, item] of value) converted.set(fromLegacy(key), fromLegacy(item));
  return converted;
}

function isRichText(value: object): boolean {
  return [SemVer, SemVerRange, Binary, Timespan, Timestamp].some((type) => value instanceof type);
}
