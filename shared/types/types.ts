/** All Pcore types, gathered from the files of their families. */
export { CallableType } from './callable-type.ts';
export { CatalogEntryType, ClassType, ResourceType } from './catalog-types.ts';
export { ArrayType, CollectionType, HashType } from './collection-types.ts';
export { DATA, RICH_DATA, RICH_DATA_KEY } from './data-types.ts';
export { defaultOfKind } from './default-types.ts';
export { InitType } from './init-type.ts';
export { IterableType, IteratorType, iterableElement } from './iterable-types.ts';
export { ObjectExtensionType } from './object-extension.ts';
export { ObjectType } from './object-type.ts';
export { PType, UNDEF, UndefType } from './ptype.ts';
export { StructElement, StructType, TupleType } from './record-types.ts';
export { behindAliases, TypeAliasType, TypeReferenceType } from './reference-types.ts';
export { RuntimeType } from './runtime-type.ts';
export {
  BooleanType,
  FloatType,
  IntegerType,
  NumericType,
  RegexpType,
  ScalarDataType,
  ScalarType,
} from './scalar-types.ts';
export { ANY, AnyType, BinaryType, DefaultType, UnitType } from './simple-types.ts';
export { EnumType, PatternType, STRING, StringType } from './string-types.ts';
export { SemVerRangeType, SemVerType, TimespanType, TimestampType } from './time-types.ts';
export { TYPES_BY_NAME } from './type-names.ts';
export { TypeSetType } from './type-set-type.ts';
export { URIType } from './uri-type.ts';
export { NotUndefType, OptionalType, SensitiveType, TypeType, VariantType, variantOf } from './wrapper-types.ts';
