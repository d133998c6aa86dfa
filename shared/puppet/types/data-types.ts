/** Puppet's built-in type aliases. Follows lib/puppet/pops/loader/static_loader.rb. */
import { ArrayType, HashType } from './collection-types.ts';
import { OBJECT } from './objects/object-type.ts';
import { TYPE_SET } from './objects/type-set-type.ts';
import { type PType, UNDEF } from './ptype.ts';
import { TypeAliasType } from './reference-types.ts';
import { NUMERIC, SCALAR_DATA_TYPE, SCALAR_TYPE } from './scalar-types.ts';
import { BINARY_TYPE, DEFAULT_TYPE } from './simple-types.ts';
import { STRING } from './string-types.ts';
import { SEM_VER_RANGE } from './time/time-types.ts';
import { URI } from './uri/uri-type.ts';
import { SENSITIVE, TYPE, VariantType } from './wrapper-types.ts';

export const DATA: PType = new TypeAliasType(
  'Data',
  () => new VariantType([SCALAR_DATA_TYPE, UNDEF, new HashType(STRING, DATA), new ArrayType(DATA)]),
  false,
);

const RICH_DATA_KEY: PType = new TypeAliasType('RichDataKey', () => new VariantType([STRING, NUMERIC]));

export const RICH_DATA: PType = new TypeAliasType(
  'RichData',
  () =>
    new VariantType([
      SCALAR_TYPE,
      SEM_VER_RANGE,
      BINARY_TYPE,
      SENSITIVE,
      TYPE,
      TYPE_SET,
      URI,
      OBJECT,
      UNDEF,
      DEFAULT_TYPE,
      new HashType(RICH_DATA_KEY, RICH_DATA),
      new ArrayType(RICH_DATA),
    ]),
  false,
);

export const BUILT_IN_ALIASES: ReadonlyMap<string, PType> = new Map([
  ['data', DATA],
  ['richdatakey', RICH_DATA_KEY],
  ['richdata', RICH_DATA],
  ['puppet::lookupkey', new TypeAliasType('Puppet::LookupKey', () => RICH_DATA_KEY)],
  ['puppet::lookupvalue', new TypeAliasType('Puppet::LookupValue', () => RICH_DATA)],
]);
