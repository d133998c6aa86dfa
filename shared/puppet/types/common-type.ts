import { CALLABLE } from './callable-type.ts';
import { CLASS, ClassType, RESOURCE, ResourceType } from './catalog-types.ts';
import { ArrayType, HashType } from './collection-types.ts';
import { DATA, RICH_DATA } from './data-types.ts';
import type { PType } from './ptype.ts';
import { FloatType, IntegerType, NUMERIC, REGEXP, SCALAR_DATA_TYPE, SCALAR_TYPE } from './scalar-types.ts';
import { ANY } from './simple-types.ts';
import { ENUM, EnumType, PatternType, STRING, StringType } from './string-types.ts';
import { TypeType, VariantType, variantOf } from './wrapper-types.ts';

/**
 * The narrowest type, by Puppet's rules, to which both types are assignable. Follows
 * TypeCalculator#common_type.
 */
export function commonType(a: PType | null, b: PType | null): PType | null {
  if (a === null || a.kind === 'Undef') return b ?? a;
  if (b === null || b.kind === 'Undef') return a;
  if (a.kind === 'Unit') return b;
  if (b.kind === 'Unit') return a;
  if (a.isAssignable(b)) return a;
  if (b.isAssignable(a)) return b;
  return commonOfSameKind(a, b) ?? commonOfFamily(a, b);
}

function commonOf(a: PType, b: PType): PType {
  return commonType(a, b) ?? ANY;
}

function commonOfSameKind(a: PType, b: PType): PType | null {
  if (a instanceof ArrayType && b instanceof ArrayType) return new ArrayType(commonOf(a.element, b.element));
  if (a instanceof HashType && b instanceof HashType) {
    return new HashType(commonOf(a.key, b.key), commonOf(a.value, b.value));
  }
  if (a instanceof ClassType && b instanceof ClassType) return CLASS;
  if (a instanceof ResourceType && b instanceof ResourceType) {
    return a.typeName === b.typeName ? new ResourceType(a.typeName) : RESOURCE;
  }
  if (a instanceof IntegerType && b instanceof IntegerType)
    return new IntegerType(findLower(a.from, b.from), findUpper(a.to, b.to));
  if (a instanceof FloatType && b instanceof FloatType)
    return new FloatType(findLower(a.from, b.from), findUpper(a.to, b.to));
  const texts = commonOfTexts(a, b);
  if (texts !== null) return texts;
  if (a instanceof PatternType && b instanceof PatternType) {
    const all = new Map([...a.patterns, ...b.patterns].map((pattern) => [pattern.pattern, pattern]));
    return new PatternType([...all.values()]);
  }
  if (a instanceof VariantType && b instanceof VariantType) return variantOf([...a.types, ...b.types]);
  if (a.kind === 'Regexp' && b.kind === 'Regexp') return REGEXP;
  return a.kind === 'Callable' && b.kind === 'Callable' ? CALLABLE : null;
}

function findLower<T extends bigint | number>(a: T | null, b: T | null): T | null {
  if (a === null || b === null) return null;
  return a < b ? a : b;
}

function findUpper<T extends bigint | number>(a: T | null, b: T | null): T | null {
  if (a === null || b === null) return null;
  return a > b ? a : b;
}

function commonOfTexts(a: PType, b: PType): PType | null {
  if (a instanceof StringType && b instanceof StringType) return commonOfStrings(a, b);
  if (a instanceof StringType && b instanceof EnumType) return withValue(b.values, a.value, false);
  if (a instanceof EnumType && b instanceof StringType) return withValue(a.values, b.value, true);
  return a instanceof EnumType && b instanceof EnumType ? new EnumType([...a.values, ...b.values]) : null;
}

function commonOfStrings(a: StringType, b: StringType): PType {
  if (a.size === null || b.size === null) {
    return a.value === null || b.value === null ? STRING : new EnumType([a.value, b.value]);
  }
  const size = commonType(a.size, b.size);
  return size instanceof IntegerType ? new StringType(size) : STRING;
}

function withValue(values: readonly string[], value: string | null, behind: boolean): PType {
  if (value === null) return ENUM;
  return new EnumType(behind ? [...values, value] : [value, ...values]);
}

function commonOfFamily(a: PType, b: PType): PType {
  const both = (type: PType) => type.isAssignable(a) && type.isAssignable(b);
  if (both(NUMERIC)) return NUMERIC;
  if (both(SCALAR_DATA_TYPE)) return SCALAR_DATA_TYPE;
  if (both(SCALAR_TYPE)) return SCALAR_TYPE;
  if (both(DATA)) return DATA;
  if (a instanceof TypeType && b instanceof TypeType) return new TypeType(commonType(a.type, b.type));
  return both(RICH_DATA) ? RICH_DATA : ANY;
}
