/** The constructor of each type. Follows `new_function` of lib/puppet/pops/types. */
import { PuppetError } from '../../errors/puppet-error.ts';
import { type Constructor, type ConstructorSignature, createSignature } from '../constructor.ts';
import { ObjectExtensionType } from '../objects/object-extension.ts';
import { createObject } from '../objects/object-instance.ts';
import { type ModelInitializer, ObjectType } from '../objects/object-type.ts';
import type { PType } from '../ptype.ts';
import { StructElement, StructType } from '../record-types.ts';
import { resolveAliases } from '../reference-types.ts';
import { ANY } from '../simple-types.ts';
import { NON_EMPTY_STRING } from '../string-types.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import type { Value } from '../values/values.ts';
import { NotUndefType, OptionalType } from '../wrapper-types.ts';
import { ARRAY_CONSTRUCTOR, HASH_CONSTRUCTOR } from './collection-constructors.ts';
import {
  BOOLEAN_CONSTRUCTOR,
  FLOAT_CONSTRUCTOR,
  INTEGER_CONSTRUCTOR,
  NUMERIC_CONSTRUCTOR,
} from './number-constructors.ts';
import {
  BINARY_CONSTRUCTOR,
  REGEXP_CONSTRUCTOR,
  SENSITIVE_CONSTRUCTOR,
  STRING_CONSTRUCTOR,
  URI_CONSTRUCTOR,
} from './text-constructors.ts';
import {
  SEM_VER_CONSTRUCTOR,
  SEM_VER_RANGE_CONSTRUCTOR,
  TIMESPAN_CONSTRUCTOR,
  TIMESTAMP_CONSTRUCTOR,
} from './time-constructors.ts';

const UNIT_CONSTRUCTOR: Constructor = {
  name: 'new_unit',
  signatures: [createSignature({ from: ANY }, ([from = null]) => from)],
  mismatches: [],
};

/** Returns the text unchanged: the caller knows the named types and parses it. */
const TYPE_CONSTRUCTOR: Constructor = {
  name: 'new_type',
  signatures: [createSignature({ type_string: NON_EMPTY_STRING }, ([text = null]) => text)],
  mismatches: [],
};

const BY_KIND: Readonly<Record<string, Constructor>> = {
  Array: ARRAY_CONSTRUCTOR,
  Binary: BINARY_CONSTRUCTOR,
  Boolean: BOOLEAN_CONSTRUCTOR,
  Float: FLOAT_CONSTRUCTOR,
  Hash: HASH_CONSTRUCTOR,
  Integer: INTEGER_CONSTRUCTOR,
  Numeric: NUMERIC_CONSTRUCTOR,
  Regexp: REGEXP_CONSTRUCTOR,
  SemVer: SEM_VER_CONSTRUCTOR,
  SemVerRange: SEM_VER_RANGE_CONSTRUCTOR,
  Sensitive: SENSITIVE_CONSTRUCTOR,
  String: STRING_CONSTRUCTOR,
  Struct: HASH_CONSTRUCTOR,
  Timespan: TIMESPAN_CONSTRUCTOR,
  Timestamp: TIMESTAMP_CONSTRUCTOR,
  Tuple: ARRAY_CONSTRUCTOR,
  Type: TYPE_CONSTRUCTOR,
  URI: URI_CONSTRUCTOR,
  Unit: UNIT_CONSTRUCTOR,
};

/** The constructor of a type other than Init; null when it has none. */
export function basicConstructor(type: PType): Constructor | null {
  const target = resolveAliases(type);
  if (target instanceof OptionalType) return target.type && basicConstructor(target.type);
  if (target instanceof NotUndefType) return target.type ? basicConstructor(target.type) : UNIT_CONSTRUCTOR;
  if (target instanceof ObjectExtensionType) return objectConstructor(target.base);
  if (target instanceof ObjectType) return target.isDefault ? null : objectConstructor(target);
  return BY_KIND[target.kind] ?? null;
}

// Puppet: these have hand-written Ruby classes, without the `from_asserted_hash` of the generated
// ones.
const NATIVE = /^(?:(?:Pcore|Puppet::Resource)::|(?:Annotation|Puppet::AST::Locator)$)/;

/**
 * Checks the arguments by the attributes' types first and by their number afterwards, like Ruby's
 * class.
 */
function modelConstructor(type: ObjectType, initializer: ModelInitializer): Constructor {
  const { parameters, minimum, maximum, problem, create } = initializer;
  if (problem !== null) throw new PuppetError(problem);
  const attributes = parameters.map((name): readonly [string, PType] => {
    const attribute = type.allAttributes.get(name);
    return [attribute?.isOptional ? `${name}?` : name, attribute?.type ?? ANY];
  });
  const counted = createSignature(Object.fromEntries(attributes), (args) => {
    assertCount(args, minimum, maximum);
    return create(args);
  });
  return { name: `new_${type.name}`, signatures: [counted], mismatches: [] };
}

/**
 * Puppet: an attribute whose type accepts undef is optional in the signature, but Ruby's method
 * still requires it.
 */
function assertCount({ length }: readonly Value[], minimum: number, maximum: number): void {
  if (length >= minimum) return;
  const expected = minimum === maximum ? minimum : `${minimum}..${maximum}`;
  // Ruby: ArgumentError
  throw new PuppetError(`wrong number of arguments (given ${length}, expected ${expected})`);
}

function objectConstructor(type: ObjectType): Constructor {
  if (type.initializer !== null) return modelConstructor(type, type.initializer);
  const attributes = type.constructorAttributes;
  const named = new StructType(
    [...type.allAttributes.values()]
      .filter((item) => item.isGiven)
      .map((item) =>
        item.isOptional
          ? StructElement.createOptional(item.name, item.type)
          : StructElement.createRequired(item.name, item.type),
      ),
  );
  const fromHash: ConstructorSignature = createSignature({ hash: named }, ([hash]) =>
    createObject(type, (name) => (hash instanceof PuppetHash ? hash.get(name) : undefined)),
  );
  const fromArguments = createSignature(
    Object.fromEntries(attributes.map((item) => [item.isOptional ? `${item.name}?` : item.name, item.type])),
    (args) => {
      assertCount(args, type.neededArguments, attributes.length);
      const effective = args.slice(0, type.effectiveArguments);
      return createObject(type, (name) => effective[attributes.findIndex((item) => item.name === name)]);
    },
  );
  return {
    name: `new_${type.name}`,
    signatures: type.takesHash && !NATIVE.test(type.name) ? [fromHash, fromArguments] : [fromArguments],
    mismatches: [],
  };
}
