import { PuppetError } from '../errors/puppet-error.ts';
import { CallableType } from '../types/callable-type.ts';
import { ClassType, ResourceType } from '../types/catalog-types.ts';
import { ArrayType, CollectionType, HashType } from '../types/collection-types.ts';
import { InitType } from '../types/init-type.ts';
import { IterableType, IteratorType } from '../types/iterable-types.ts';
import { ObjectExtensionType } from '../types/object-extension.ts';
import { ObjectType } from '../types/object-type.ts';
import { parameterize } from '../types/parameterize.ts';
import { PType } from '../types/ptype.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import { StructElement, StructType, TupleType } from '../types/record-types.ts';
import { TypeAliasType, TypeReferenceType } from '../types/reference-types.ts';
import { SemVerRange, Timespan, Timestamp } from '../types/rich-values.ts';
import { FloatType, IntegerType, RegexpType } from '../types/scalar-types.ts';
import { EnumType, PatternType, StringType } from '../types/string-types.ts';
import { SemVerType, TimespanType, TimestampType } from '../types/time-types.ts';
import { builtInType } from '../types/type-parser.ts';
import { URIType } from '../types/uri-type.ts';
import type { Value } from '../types/values.ts';
import { NotUndefType, OptionalType, TypeType, VariantType } from '../types/wrapper-types.ts';

type Attributes = (name: string) => Value;

/** The type (or Struct element, as a Struct of one) that serialized attributes make; `name` is `Pcore::IntegerType`. */
export function typeFromAttributes(name: string, attribute: Attributes): PType {
  const kind = name.replace(/^Pcore::/, '').replace(/Type$/, '');
  const builder = BUILDERS[kind];
  if (builder) return builder(attribute);
  const type = builtInType(kind);
  if (type) return type;
  throw new PuppetError(`No implementation mapping found for Puppet Type ${name}`);
}

function typeOf(value: Value): PType | null {
  return value instanceof PType ? value : null;
}

function sizeOf(value: Value): IntegerType | null {
  return value instanceof IntegerType ? value : null;
}

function textOf(value: Value): string | null {
  return typeof value === 'string' ? value : null;
}

function listOf<T extends Value>(value: Value, is: (item: Value) => item is T): T[] {
  return Array.isArray(value) ? value.filter(is) : [];
}

const isType = (value: Value): value is PType => value instanceof PType;

function integerOf(value: Value): bigint | null {
  return typeof value === 'bigint' ? value : null;
}

function floatOf(value: Value): number | null {
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : null;
}

const BUILDERS: Readonly<Record<string, (attribute: Attributes) => PType>> = {
  Integer: (get) => new IntegerType(integerOf(get('from')), integerOf(get('to'))),
  Float: (get) => new FloatType(floatOf(get('from')), floatOf(get('to'))),
  String: (get) => new StringType(textOf(get('size_type_or_value')) ?? sizeOf(get('size_type_or_value'))),
  Enum: (get) => {
    const values = get('values');
    return new EnumType(Array.isArray(values) ? values.map(String) : [], get('case_insensitive') === true);
  },
  Pattern: (get) => new PatternType(listOf(get('patterns'), (item): item is RegexpType => item instanceof RegexpType)),
  Regexp: (get) => new RegexpType(textOf(get('pattern'))),
  SemVer: (get) => new SemVerType(listOf(get('ranges'), (item): item is SemVerRange => item instanceof SemVerRange)),
  Timespan: (get) => {
    const [from, to] = [get('from'), get('to')];
    return new TimespanType(from instanceof Timespan ? from : null, to instanceof Timespan ? to : null);
  },
  Timestamp: (get) => {
    const [from, to] = [get('from'), get('to')];
    return new TimestampType(from instanceof Timestamp ? from : null, to instanceof Timestamp ? to : null);
  },
  URI: (get) => {
    const parameters = get('parameters');
    return new URIType(parameters instanceof PuppetHash ? parameters : null);
  },
  Collection: (get) => new CollectionType(sizeOf(get('size_type'))),
  Array: (get) => new ArrayType(typeOf(get('element_type')), sizeOf(get('size_type'))),
  Hash: (get) => new HashType(typeOf(get('key_type')), typeOf(get('value_type')), sizeOf(get('size_type'))),
  Struct: (get) =>
    new StructType(
      listOf(get('elements'), (item): item is StructType => item instanceof StructType).flatMap(
        (item) => item.elements,
      ),
    ),
  StructElement: (get) => {
    const [key, value] = [typeOf(get('key_type')), typeOf(get('value_type'))];
    return new StructType(key && value ? [new StructElement(key, value)] : []);
  },
  Tuple: (get) => new TupleType(listOf(get('types'), isType), sizeOf(get('size_type'))),
  Variant: (get) => new VariantType(listOf(get('types'), isType)),
  Callable: (get) => {
    const params = get('param_types');
    const tuple = params instanceof TupleType ? params : null;
    return new CallableType(tuple, typeOf(get('block_type')), typeOf(get('return_type')));
  },
  Optional: (get) => new OptionalType(typeOf(get('type'))),
  NotUndef: (get) => new NotUndefType(typeOf(get('type'))),
  Type: (get) => new TypeType(typeOf(get('type'))),
  Iterable: (get) => new IterableType(typeOf(get('type'))),
  Iterator: (get) => new IteratorType(typeOf(get('type'))),
  Init: (get) => {
    const args = get('init_args');
    return new InitType(typeOf(get('type')), Array.isArray(args) ? args : []);
  },
  Class: (get) => new ClassType(textOf(get('class_name'))),
  Resource: (get) => new ResourceType(textOf(get('type_name')), textOf(get('title'))),
  TypeReference: (get) => new TypeReferenceType(textOf(get('type_string')) ?? undefined),
  TypeAlias: (get) => {
    const resolved = typeOf(get('resolved_type'));
    return new TypeAliasType(textOf(get('name')) ?? '', () => resolved ?? new TypeReferenceType());
  },
  Object: (get) => parameterize('Object', [get('_pcore_init_hash')]),
  TypeSet: (get) => parameterize('TypeSet', [get('_pcore_init_hash')]),
  ObjectTypeExten: (get) => {
    const [base, parameters] = [get('base_type'), get('init_parameters')];
    if (base instanceof ObjectType && Array.isArray(parameters)) return new ObjectExtensionType(base, parameters);
    throw new PuppetError('Unable to deserialize type');
  },
};
