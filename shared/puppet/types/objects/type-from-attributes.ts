import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { CallableType } from '../callable-type.ts';
import { ClassType, ResourceType } from '../catalog-types.ts';
import { ArrayType, CollectionType, HashType } from '../collection-types.ts';
import { InitType } from '../init-type.ts';
import { IterableType, IteratorType } from '../iterable-types.ts';
import { parameterize } from '../parameterize.ts';
import { PType } from '../ptype.ts';
import { StructElement, StructType, TupleType } from '../record-types.ts';
import { TypeAliasType, TypeReferenceType } from '../reference-types.ts';
import { RuntimeType } from '../runtime-type.ts';
import { FloatType, IntegerType, RegexpType } from '../scalar-types.ts';
import { UNIT } from '../simple-types.ts';
import { EnumType, PatternType, StringType } from '../string-types.ts';
import { SemVerType, TimespanType, TimestampType } from '../time/time-types.ts';
import { Timespan } from '../time/timespan.ts';
import { Timestamp } from '../time/timestamp.ts';
import { TYPES_BY_NAME } from '../type-names.ts';
import { PuppetRegexp } from '../values/regexp.ts';
import type { Value } from '../values/values.ts';
import { SemVerRange } from '../versions/sem-ver-range.ts';
import { NotUndefType, OptionalType, TypeType, VariantType } from '../wrapper-types.ts';
import { ObjectExtensionType } from './object-extension.ts';
import { ObjectType } from './object-type.ts';
import { PuppetObject } from './puppet-object.ts';

type Attributes = (name: string) => Value;

/**
 * Makes a type from the attributes of its meta type (`name`, `Pcore::IntegerType`). A Struct
 * element becomes a Struct with that element. Invalid attributes count as omitted.
 */
export function typeFromAttributes(name: string, attribute: Attributes): PType {
  const kind = name.replace(/^Pcore::/, '').replace(/Type$/, '');
  const builder = BUILDERS[kind];
  if (builder) return builder(attribute);
  const type = kind === 'Unit' ? UNIT : TYPES_BY_NAME.get(kind.toLowerCase());
  if (type) return type;
  throw new PuppetError(ISSUES.NO_IMPLEMENTATION_MAPPING({ type: name }));
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

function itemsOf(value: Value): readonly Value[] {
  return Array.isArray(value) ? value : [];
}

const isType = (value: Value): value is PType => value instanceof PType;

function integerOf(value: Value): bigint | null {
  return typeof value === 'bigint' ? value : null;
}

function floatOf(value: Value): number | null {
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : null;
}

function regexpOf(value: Value): RegexpType[] {
  if (value instanceof RegexpType) return [value];
  const text = value instanceof PuppetRegexp ? value.source : textOf(value);
  return text === null ? [] : [new RegexpType(text)];
}

function versionRangeOf(value: Value): SemVerRange[] {
  if (typeof value === 'string') return [SemVerRange.parse(value)];
  return value instanceof SemVerRange ? [value] : [];
}

/** The elements of a Struct, or the one element that an object of its meta type describes. */
function elementsOf(value: Value): readonly StructElement[] {
  if (value instanceof StructType) return value.elements;
  if (!(value instanceof PuppetObject)) return [];
  return elementOf(value.get('key_type') ?? null, value.get('value_type') ?? null);
}

function elementOf(key: Value, value: Value): StructElement[] {
  return key instanceof PType && value instanceof PType ? [new StructElement(key, value)] : [];
}

/** A class name, or a pattern with its replacement. */
function runtimeNameOf(value: Value): string | readonly [RegexpType, string] | null {
  const [pattern = null, replacement] = itemsOf(value);
  const [regexp] = regexpOf(pattern);
  return regexp && typeof replacement === 'string' ? [regexp, replacement] : textOf(value);
}

const BUILDERS: Readonly<Record<string, (attribute: Attributes) => PType>> = {
  Integer: (get) => new IntegerType(integerOf(get('from')), integerOf(get('to'))),
  Float: (get) => new FloatType(floatOf(get('from')), floatOf(get('to'))),
  String: (get) => new StringType(textOf(get('size_type_or_value')) ?? sizeOf(get('size_type_or_value'))),
  Enum: (get) => {
    const values = get('values');
    return new EnumType(Array.isArray(values) ? values.map(String) : [], get('case_insensitive') === true);
  },
  Pattern: (get) => new PatternType(itemsOf(get('patterns')).flatMap(regexpOf)),
  Regexp: (get) => regexpOf(get('pattern'))[0] ?? new RegexpType(),
  SemVer: (get) => new SemVerType(itemsOf(get('ranges')).flatMap(versionRangeOf)),
  Timespan: (get) => {
    const [from, to] = [get('from'), get('to')];
    return new TimespanType(from instanceof Timespan ? from : null, to instanceof Timespan ? to : null);
  },
  Timestamp: (get) => {
    const [from, to] = [get('from'), get('to')];
    return new TimestampType(from instanceof Timestamp ? from : null, to instanceof Timestamp ? to : null);
  },
  URI: (get) => parameterize('URI', [get('parameters')]),
  Collection: (get) => new CollectionType(sizeOf(get('size_type'))),
  Array: (get) => new ArrayType(typeOf(get('element_type')), sizeOf(get('size_type'))),
  Hash: (get) => new HashType(typeOf(get('key_type')), typeOf(get('value_type')), sizeOf(get('size_type'))),
  Struct: (get) => new StructType(itemsOf(get('elements')).flatMap(elementsOf)),
  StructElement: (get) => new StructType(elementOf(get('key_type'), get('value_type'))),
  Tuple: (get) => new TupleType(itemsOf(get('types')).filter(isType), sizeOf(get('size_type'))),
  Variant: (get) => new VariantType(itemsOf(get('types')).filter(isType)),
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
  Runtime: (get) => new RuntimeType(textOf(get('runtime')), runtimeNameOf(get('name_or_pattern'))),
  Class: (get) => new ClassType(textOf(get('class_name'))),
  Resource: (get) => new ResourceType(textOf(get('type_name')), textOf(get('title'))),
  TypeReference: (get) => new TypeReferenceType(textOf(get('type_string')) ?? undefined),
  TypeAlias: (get) => {
    const [name, resolved] = [textOf(get('name')) ?? '', typeOf(get('resolved_type'))];
    return new TypeAliasType(name, () => {
      if (resolved === null) throw new PuppetError(ISSUES.TYPE_UNRESOLVED({ name }));
      return resolved;
    });
  },
  Object: (get) => parameterize('Object', [get('_pcore_init_hash')]),
  TypeSet: (get) => parameterize('TypeSet', [get('_pcore_init_hash')]),
  ObjectTypeExten: (get) => {
    const [base, parameters] = [get('base_type'), get('init_parameters')];
    if (base instanceof ObjectType && Array.isArray(parameters)) return new ObjectExtensionType(base, parameters);
    throw new PuppetError(ISSUES.TYPE_NOT_DESERIALIZABLE());
  },
};
