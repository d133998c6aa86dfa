/** `new` of Timespan, Timestamp, SemVer and SemVerRange. Follows lib/puppet/pops/types. */
import { PuppetError } from '../../errors/puppet-error.ts';
import { ArrayType } from '../collection-types.ts';
import { type Constructor, localType, mismatchHandler, signature } from '../constructor.ts';
import { StructElement, StructType } from '../record-types.ts';
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
const { optional, required } = StructElement;

function seconds(value: Value | undefined): bigint | number {
  return typeof value === 'bigint' || typeof value === 'number' ? value : 0n;
}

function integer(value: Value | undefined): bigint {
  return typeof value === 'bigint' ? value : 0n;
}

const FIELD_NAMES = ['days', 'hours', 'minutes', 'seconds', 'milliseconds', 'microseconds', 'nanoseconds'];

export const TIMESPAN_CONSTRUCTOR: Constructor = {
  name: 'new_timespan',
  signatures: [
    signature([['seconds', NUMBER]], ([value]) => Timespan.fromSeconds(seconds(value))),
    signature(
      [
        ['string', NON_EMPTY_STRING],
        ['format?', FORMATS],
      ],
      ([text, format]) => Timespan.parse(String(text), formatsOf(format)),
    ),
    signature(
      FIELD_NAMES.map((name, index) => [index < 4 ? name : `${name}?`, INTEGER] as const),
      (args) => Timespan.fromFields(false, args.map(integer)),
    ),
    signature(
      [['hash_arg', new StructType([required('string', NON_EMPTY_STRING), optional('format', FORMATS)])]],
      ([hash]) => timespanOfHash(hash instanceof PuppetHash ? hash : new PuppetHash()),
    ),
    signature(
      [
        [
          'hash_arg',
          new StructType([optional('negative', BOOLEAN), ...FIELD_NAMES.map((name) => optional(name, INTEGER))]),
        ],
      ],
      ([hash]) => timespanOfHash(hash instanceof PuppetHash ? hash : new PuppetHash()),
    ),
  ],
  mismatches: [],
};

function text(value: Value | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function noClock(): never {
  throw new PuppetError('The current time is not known here');
}

/** `Timestamp.new()` is the current time, which the maker of instances tells. */
export const TIMESTAMP_CONSTRUCTOR: Constructor = {
  name: 'new_timestamp',
  signatures: [
    signature([], noClock),
    signature([['seconds', NUMBER]], ([value]) => Timestamp.fromSeconds(seconds(value))),
    signature(
      [
        ['string', NON_EMPTY_STRING],
        ['format?', FORMATS],
        ['timezone?', NON_EMPTY_STRING],
      ],
      ([value, format, timezone]) => Timestamp.parse(String(value), formatsOf(format), text(timezone)),
    ),
    signature(
      [
        [
          'hash_arg',
          new StructType([
            required('string', NON_EMPTY_STRING),
            optional('format', FORMATS),
            optional('timezone', NON_EMPTY_STRING),
          ]),
        ],
      ],
      ([hash]) => {
        const fields = hash instanceof PuppetHash ? hash : new PuppetHash();
        return Timestamp.parse(
          String(fields.get('string')),
          formatsOf(fields.get('format')),
          text(fields.get('timezone')),
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
  new StructType([
    required('major', POSITIVE),
    required('minor', POSITIVE),
    required('patch', POSITIVE),
    optional('prerelease', QUALIFIER),
    optional('build', QUALIFIER),
  ]),
);

function version(parts: readonly (Value | undefined)[]): SemVer {
  const [major, minor, patch] = parts.map((part) => Number(integer(part)));
  const [prerelease, build] = [text(parts[3]), text(parts[4])];
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
    signature([['str', VERSION_TEXT]], ([value]) => SemVer.parse(String(value))),
    signature(
      [
        ['major', POSITIVE],
        ['minor', POSITIVE],
        ['patch', POSITIVE],
        ['prerelease?', QUALIFIER],
        ['build?', QUALIFIER],
      ],
      version,
    ),
    signature([['hash_args', VERSION_HASH]], ([hash]) =>
      version(
        ['major', 'minor', 'patch', 'prerelease', 'build'].map((name) =>
          hash instanceof PuppetHash ? hash.get(name) : undefined,
        ),
      ),
    ),
  ],
  mismatches: [
    mismatchHandler([['str', STRING]], ([value]) => `The string '${value}' cannot be converted to a SemVer`),
  ],
};

const VERSION_BOUND = new VariantType([DEFAULT_TYPE, SEM_VER]);
const RANGE_HASH = localType(
  'SemVerRangeHash',
  new StructType([required('min', VERSION_BOUND), optional('max', VERSION_BOUND), optional('exclude_max', BOOLEAN)]),
);

function versionRange(min: Value | undefined, max: Value | undefined, excludesMax: Value | undefined): SemVerRange {
  return SemVerRange.between(
    min instanceof SemVer ? min : MIN_VERSION,
    max instanceof SemVer ? max : MAX_VERSION,
    excludesMax === true,
  );
}

export const SEM_VER_RANGE_CONSTRUCTOR: Constructor = {
  name: 'new_VersionRange',
  signatures: [
    signature([['str', localType('SemVerRangeString', NON_EMPTY_STRING)]], ([value]) =>
      SemVerRange.parse(String(value)),
    ),
    signature(
      [
        ['min', VERSION_BOUND],
        ['max', VERSION_BOUND],
        ['exclude_max?', BOOLEAN],
      ],
      ([min, max, excludesMax]) => versionRange(min, max, excludesMax),
    ),
    signature([['hash_args', RANGE_HASH]], ([hash]) =>
      hash instanceof PuppetHash ? versionRange(hash.get('min'), hash.get('max'), hash.get('exclude_max')) : null,
    ),
  ],
  mismatches: [],
};
