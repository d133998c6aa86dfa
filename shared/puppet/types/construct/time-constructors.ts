/**
 * The constructors (`new`) of Timespan, Timestamp, SemVer and SemVerRange. Follows
 * lib/puppet/pops/types.
 */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { ArrayType } from '../collection-types.ts';
import { type Constructor, createSignature, localType, mismatchHandler } from '../constructor.ts';
import { StructElement, StructType, structOf } from '../record-types.ts';
import { BOOLEAN, FLOAT, INTEGER, IntegerType, NOT_EMPTY, RegexpType } from '../scalar-types.ts';
import { DEFAULT_TYPE } from '../simple-types.ts';
import { NON_EMPTY_STRING, PatternType, STRING, StringType } from '../string-types.ts';
import { formatsOf, timespanOfHash } from '../time/time-arguments.ts';
import { SEM_VER } from '../time/time-types.ts';
import { Timespan } from '../time/timespan.ts';
import { Timestamp } from '../time/timestamp.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import type { Value } from '../values/values.ts';
import { MAX_VERSION, MIN_VERSION, SemVer } from '../versions/sem-ver.ts';
import { SemVerRange } from '../versions/sem-ver-range.ts';
import { VariantType } from '../wrapper-types.ts';

const FORMAT = new StringType(new IntegerType(2n));
const FORMATS = localType('Formats', new VariantType([FORMAT, new ArrayType(FORMAT, NOT_EMPTY)]));
const NUMBER = new VariantType([INTEGER, FLOAT]);
const { createOptional } = StructElement;

function readSeconds(value: Value | undefined): bigint | number {
  return typeof value === 'bigint' || typeof value === 'number' ? value : 0n;
}

function readInteger(value: Value | undefined): bigint {
  return typeof value === 'bigint' ? value : 0n;
}

const FIELD_NAMES = ['days', 'hours', 'minutes', 'seconds', 'milliseconds', 'microseconds', 'nanoseconds'];

export const TIMESPAN_CONSTRUCTOR: Constructor = {
  name: 'new_timespan',
  signatures: [
    createSignature({ seconds: NUMBER }, ([value]) => Timespan.fromSeconds(readSeconds(value))),
    createSignature({ string: NON_EMPTY_STRING, 'format?': FORMATS }, ([text, format]) =>
      Timespan.parse(String(text), formatsOf(format)),
    ),
    createSignature(
      Object.fromEntries(FIELD_NAMES.map((name, index) => [index < 4 ? name : `${name}?`, INTEGER])),
      (args) => Timespan.fromFields(false, args.map(readInteger)),
    ),
    createSignature({ hash_arg: structOf({ string: NON_EMPTY_STRING, 'format?': FORMATS }) }, ([hash]) =>
      timespanOfHash(hash instanceof PuppetHash ? hash : new PuppetHash()),
    ),
    createSignature(
      {
        hash_arg: new StructType([
          createOptional('negative', BOOLEAN),
          ...FIELD_NAMES.map((name) => createOptional(name, INTEGER)),
        ]),
      },
      ([hash]) => timespanOfHash(hash instanceof PuppetHash ? hash : new PuppetHash()),
    ),
  ],
  mismatches: [],
};

function readText(value: Value | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function noClock(): never {
  throw new PuppetError(ISSUES.NO_CLOCK_FOR_TIMESTAMP());
}

/** `Timestamp.new()` is the current time; `newInstance` supplies it from its clock. */
export const TIMESTAMP_CONSTRUCTOR: Constructor = {
  name: 'new_timestamp',
  signatures: [
    createSignature({}, noClock),
    createSignature({ seconds: NUMBER }, ([value]) => Timestamp.fromSeconds(readSeconds(value))),
    createSignature(
      { string: NON_EMPTY_STRING, 'format?': FORMATS, 'timezone?': NON_EMPTY_STRING },
      ([value, format, timezone]) => Timestamp.parse(String(value), formatsOf(format), readText(timezone)),
    ),
    createSignature(
      {
        hash_arg: structOf({ string: NON_EMPTY_STRING, 'format?': FORMATS, 'timezone?': NON_EMPTY_STRING }),
      },
      ([hash]) => {
        const fields = hash instanceof PuppetHash ? hash : new PuppetHash();
        return Timestamp.parse(
          String(fields.get('string')),
          formatsOf(fields.get('format')),
          readText(fields.get('timezone')),
        );
      },
    ),
  ],
  mismatches: [],
};

const POSITIVE = localType('PositiveInteger', new IntegerType(0n));
const QUALIFIER = localType(
  'SemVerQualifier',
  new PatternType([new RegexpType('\\A(?<part>[0-9A-Za-z-]+)(?:\\.\\g<part>)*\\Z')]),
);
const VERSION_TEXT = localType(
  'SemVerPattern',
  new PatternType([
    new RegexpType(
      '\\A(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(?:\\+([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?\\Z',
    ),
  ]),
);
const VERSION_HASH = localType(
  'SemVerHash',
  structOf({ major: POSITIVE, minor: POSITIVE, patch: POSITIVE, 'prerelease?': QUALIFIER, 'build?': QUALIFIER }),
);

function createVersion(parts: readonly (Value | undefined)[]): SemVer {
  const [major, minor, patch] = parts.map((part) => Number(readInteger(part)));
  const [prerelease, build] = [readText(parts[3]), readText(parts[4])];
  return new SemVer(
    major ?? 0,
    minor ?? 0,
    patch ?? 0,
    prerelease === null ? null : [prerelease],
    build === null ? null : [build],
  );
}

export const SEM_VER_CONSTRUCTOR: Constructor = {
  name: 'new_Version',
  signatures: [
    createSignature({ str: VERSION_TEXT }, ([value]) => SemVer.parse(String(value))),
    createSignature(
      { major: POSITIVE, minor: POSITIVE, patch: POSITIVE, 'prerelease?': QUALIFIER, 'build?': QUALIFIER },
      createVersion,
    ),
    createSignature({ hash_args: VERSION_HASH }, ([hash]) =>
      createVersion(
        ['major', 'minor', 'patch', 'prerelease', 'build'].map((name) =>
          hash instanceof PuppetHash ? hash.get(name) : undefined,
        ),
      ),
    ),
  ],
  mismatches: [mismatchHandler({ str: STRING }, ([value]) => `The string '${value}' cannot be converted to a SemVer`)],
};

const VERSION_BOUND = new VariantType([DEFAULT_TYPE, SEM_VER]);
const RANGE_HASH = localType(
  'SemVerRangeHash',
  structOf({ min: VERSION_BOUND, 'max?': VERSION_BOUND, 'exclude_max?': BOOLEAN }),
);

function versionRange(min: Value | undefined, max: Value | undefined, excludesMax: Value | undefined): SemVerRange {
  return SemVerRange.createBetween(
    min instanceof SemVer ? min : MIN_VERSION,
    max instanceof SemVer ? max : MAX_VERSION,
    excludesMax === true,
  );
}

export const SEM_VER_RANGE_CONSTRUCTOR: Constructor = {
  name: 'new_VersionRange',
  signatures: [
    createSignature({ str: localType('SemVerRangeString', NON_EMPTY_STRING) }, ([value]) =>
      SemVerRange.parse(String(value)),
    ),
    createSignature({ min: VERSION_BOUND, max: VERSION_BOUND, 'exclude_max?': BOOLEAN }, ([min, max, excludesMax]) =>
      versionRange(min, max, excludesMax),
    ),
    createSignature({ hash_args: RANGE_HASH }, ([hash]) =>
      hash instanceof PuppetHash ? versionRange(hash.get('min'), hash.get('max'), hash.get('exclude_max')) : null,
    ),
  ],
  mismatches: [],
};
