/**
 * Types as objects: the attributes of each kind of type in its serialized form. Follows
 * `register_ptype` of lib/puppet/pops/types.
 */
import { CallableType } from '../types/callable-type.ts';
import { ClassType, ResourceType } from '../types/catalog-types.ts';
import { ArrayType, CollectionType, HashType } from '../types/collection-types.ts';
import { InitType } from '../types/init-type.ts';
import { IterableType, IteratorType } from '../types/iterable-types.ts';
import { ObjectExtensionType } from '../types/objects/object-extension.ts';
import { ObjectType } from '../types/objects/object-type.ts';
import { TypeSetType } from '../types/objects/type-set-type.ts';
import type { PType } from '../types/ptype.ts';
import { type StructElement, StructType, TupleType } from '../types/record-types.ts';
import { TypeAliasType, TypeReferenceType } from '../types/reference-types.ts';
import { RuntimeType } from '../types/runtime-type.ts';
import { FloatType, IntegerType, RegexpType } from '../types/scalar-types.ts';
import { EnumType, PatternType, StringType } from '../types/string-types.ts';
import { SemVerType, TimespanType, TimestampType } from '../types/time/time-types.ts';
import { URIType } from '../types/uri/uri-type.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { NotUndefType, OptionalType, TypeType, VariantType } from '../types/wrapper-types.ts';

/**
 * An attribute of a type. It is omitted when it and all attributes behind it have their default.
 */
interface TypeAttribute {
  readonly name: string;
  readonly value: Value | readonly StructElement[];
  readonly isDefault: boolean;
}

function createRequired(name: string, value: TypeAttribute['value']): TypeAttribute {
  return { name, value, isDefault: false };
}

function createOptional(name: string, value: Value, isDefault = value === null): TypeAttribute {
  return { name, value, isDefault };
}

/** The attributes in serialization order, without trailing defaults. */
export function attributesOf(type: PType): readonly TypeAttribute[] {
  const all = [...allAttributes(type)];
  while (all.at(-1)?.isDefault) all.pop();
  return all;
}

function allAttributes(type: PType): readonly TypeAttribute[] {
  if (type instanceof IntegerType || type instanceof FloatType) return createRange(type.from, type.to);
  if (type instanceof TimespanType || type instanceof TimestampType) return createRange(type.from, type.to);
  if (type instanceof StringType) return [createOptional('size_type_or_value', type.value ?? type.size)];
  if (type instanceof EnumType) {
    const { values, caseInsensitive } = type;
    return [createRequired('values', values), createOptional('case_insensitive', caseInsensitive, !caseInsensitive)];
  }
  if (type instanceof PatternType) return [createRequired('patterns', type.patterns)];
  if (type instanceof RegexpType) return [createOptional('pattern', type.pattern)];
  if (type instanceof SemVerType) return [createOptional('ranges', type.ranges, type.ranges.length === 0)];
  if (type instanceof URIType) return [createOptional('parameters', type.parameters)];
  return containerAttributes(type) ?? referenceAttributes(type);
}

function createRange(from: Value, to: Value): readonly TypeAttribute[] {
  return [createOptional('from', from), createOptional('to', to)];
}

function containerAttributes(type: PType): readonly TypeAttribute[] | null {
  if (type instanceof CollectionType) return [createOptional('size_type', type.size)];
  if (type instanceof ArrayType)
    return [createContained('element_type', type.element), createOptional('size_type', type.size)];
  if (type instanceof HashType) {
    return [
      createContained('key_type', type.key),
      createContained('value_type', type.value),
      createOptional('size_type', type.size),
    ];
  }
  if (type instanceof StructType) return [createRequired('elements', type.elements)];
  if (type instanceof TupleType) return [createRequired('types', type.types), createOptional('size_type', type.size)];
  if (type instanceof VariantType) return [createRequired('types', type.types)];
  if (type instanceof CallableType) {
    const { params, block, returns } = type;
    // Puppet: the default is Any, which differs from undef (lib/puppet/pops/types/types.rb).
    return [
      createOptional('param_types', params),
      createOptional('block_type', block),
      createRequired('return_type', returns),
    ];
  }
  if (isWrapper(type)) return [createOptional('type', type.type)];
  return null;
}

function createContained(name: string, type: PType): TypeAttribute {
  return createOptional(name, type, type.kind === 'Any');
}

function isWrapper(type: PType): type is OptionalType | NotUndefType | TypeType | IterableType | IteratorType {
  return [OptionalType, NotUndefType, TypeType, IterableType, IteratorType].some((kind) => type instanceof kind);
}

function referenceAttributes(type: PType): readonly TypeAttribute[] {
  if (type instanceof ClassType) return [createOptional('class_name', type.className)];
  if (type instanceof ResourceType)
    return [createOptional('type_name', type.typeName), createOptional('title', type.title)];
  if (type instanceof InitType) {
    return [createOptional('type', type.type), createOptional('init_args', type.initArgs, type.initArgs.length === 0)];
  }
  if (type instanceof RuntimeType) {
    return [createOptional('runtime', type.runtime), createOptional('name_or_pattern', type.nameOrPattern)];
  }
  if (type instanceof TypeReferenceType) return [createRequired('type_string', type.typeString)];
  if (type instanceof TypeAliasType) {
    return [
      createRequired('name', type.name),
      createRequired('type_expr', null),
      createOptional('resolved_type', type.resolvedType),
    ];
  }
  if (type instanceof ObjectType || type instanceof TypeSetType)
    return [createRequired('_pcore_init_hash', type.toInitHash())];
  if (type instanceof ObjectExtensionType) {
    const parameters = type.initParameters;
    const list = parameters instanceof PuppetHash ? [parameters] : parameters;
    return [createRequired('base_type', type.base), createRequired('init_parameters', list)];
  }
  return [];
}
