/** Puppet's built-in Object types: Deferred, Error, Task. */

import { CallableType } from '../callable-type.ts';
import { ARRAY, ArrayType, HashType, sizeOf } from '../collection-types.ts';
import { DATA } from '../data-types.ts';
import { IterableType } from '../iterable-types.ts';
import { type PType, UNDEF } from '../ptype.ts';
import { structOf, TupleType } from '../record-types.ts';
import { BOOLEAN, INTEGER, REGEXP, RegexpType, SCALAR_TYPE } from '../scalar-types.ts';
import { ANY, UNIT } from '../simple-types.ts';
import { ENUM, NON_EMPTY_STRING, PATTERN, PatternType, STRING } from '../string-types.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import type { Value } from '../values/values.ts';
import { NOT_UNDEF, OptionalType, TYPE, TypeType, VariantType } from '../wrapper-types.ts';
import { defineObject } from './object-definition.ts';
import { ANNOTATION } from './object-shapes.ts';
import { ObjectType } from './object-type.ts';
import { PuppetObject } from './puppet-object.ts';

type Entries = Iterable<readonly [Value, Value]>;

function objectType(name: string, definition: () => Entries, readers?: ReadonlyMap<string, string>): ObjectType {
  return new ObjectType(name, (self) => {
    const defined = defineObject(self, PuppetHash.of(definition()));
    return readers ? { ...defined, readers } : defined;
  });
}

function createHash(entries: Readonly<Record<string, Value>>): PuppetHash {
  return PuppetHash.of(Object.entries(entries));
}

function createOptional(type: PType): PuppetHash {
  return createHash({ type: new OptionalType(type), value: null });
}

const pattern = (source: string) => new PatternType([new RegexpType(source)]);

const DEFERRED = objectType('Deferred', () => [
  [
    'attributes',
    createHash({
      name: pattern('\\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\\z'),
      arguments: createOptional(ARRAY),
    }),
  ],
]);

const errorParameter = () =>
  new OptionalType(
    new VariantType([STRING, REGEXP, ...[ENUM, PATTERN, NOT_UNDEF, UNDEF].map((type) => new TypeType(type))]),
  );

export const ERROR = objectType(
  'Error',
  () => [
    ['type_parameters', createHash({ kind: errorParameter(), issue_code: errorParameter() })],
    [
      'attributes',
      createHash({
        msg: NON_EMPTY_STRING,
        kind: createOptional(NON_EMPTY_STRING),
        details: createOptional(new HashType(NON_EMPTY_STRING, DATA)),
        issue_code: createOptional(NON_EMPTY_STRING),
      }),
    ],
    ['functions', createHash({ message: new CallableType(new TupleType(), null, NON_EMPTY_STRING) })],
  ],
  new Map([['message', 'msg']]),
);

/** Known only when code runs as a task or plan. */
export const TASK = objectType('Task', () => [
  [
    'attributes',
    createHash({
      name: pattern('\\A[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\\z'),
      files: new ArrayType(structOf({ name: STRING, path: STRING })),
      metadata: new HashType(STRING, ANY),
      parameters: createOptional(new HashType(pattern('\\A[a-z][a-z0-9_]*\\z'), TYPE)),
    }),
  ],
]);

/**
 * The context argument of Hiera's data functions. Its methods are those of the class from which
 * Hiera makes it.
 */
export const LOOKUP_CONTEXT = objectType('Puppet::LookupContext', () => [
  ['parent', ANY],
  [
    'attributes',
    createHash({
      environment_name: createHash({ type: NON_EMPTY_STRING, kind: 'derived' }),
      module_name: new VariantType([NON_EMPTY_STRING, UNDEF]),
    }),
  ],
  ['functions', createHash(contextFunctions())],
]);

function contextFunctions(): Readonly<Record<string, Value>> {
  const key = new OptionalType(SCALAR_TYPE);
  const createNoArguments = () => new TupleType([], sizeOf(0));
  const createArguments = (...types: PType[]) => new TupleType(types);
  const blockOf = (count: number) => new CallableType(new TupleType(count === 0 ? [] : [UNIT], sizeOf(count)));
  return {
    not_found: new CallableType(createNoArguments(), null, UNDEF),
    explain: new CallableType(createNoArguments(), blockOf(0), UNDEF),
    interpolate: blockOf(1),
    cache: new CallableType(createArguments(key, ANY)),
    cache_all: new CallableType(createArguments(new HashType(key, ANY)), null, UNDEF),
    cache_has_key: new CallableType(createArguments(key), null, BOOLEAN),
    cached_value: new CallableType(createArguments(key)),
    cached_entries: new VariantType([
      new CallableType(createNoArguments(), blockOf(1), UNDEF),
      new CallableType(createNoArguments(), blockOf(2), UNDEF),
      new CallableType(createNoArguments(), null, new IterableType(createArguments(key, ANY))),
    ]),
    cached_file_data: new CallableType(
      createArguments(STRING),
      new OptionalType(new CallableType(createArguments(new ArrayType(INTEGER)))),
    ),
  };
}

/** The types by name in lower case. */
export const STANDARD_OBJECTS: ReadonlyMap<string, PType> = new Map([
  ['annotation', ANNOTATION],
  ['deferred', DEFERRED],
  ['error', ERROR],
  ['puppet::lookupcontext', LOOKUP_CONTEXT],
]);

/** Whether a value is a Deferred, a call that the agent evaluates. */
export function isDeferred(value: Value): value is PuppetObject {
  return value instanceof PuppetObject && value.shape === DEFERRED;
}
