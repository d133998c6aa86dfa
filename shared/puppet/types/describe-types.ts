/** Explains why one type is not assignable to another, and in which part. */
import { CallableType } from './callable-type.ts';
import { ArrayType, HashType, sizeOf } from './collection-types.ts';
import {
  countMismatch,
  type Mismatch,
  mergeMismatches,
  otherMismatch,
  type Path,
  patternMismatch,
  samePlace,
  sizeMismatch,
  typeMismatch,
  withoutPathElement,
} from './mismatch.ts';
import { type PType, UNDEF } from './ptype.ts';
import { type StructElement, StructType, TupleType } from './record-types.ts';
import { TypeAliasType, TypeReferenceType } from './reference-types.ts';
import { ANY_SIZE, type IntegerType } from './scalar-types.ts';
import { ANY } from './simple-types.ts';
import { OptionalType, VariantType } from './wrapper-types.ts';

/**
 * The mismatches of `actual` with `expected`; empty when it is assignable. Follows
 * TypeMismatchDescriber#describe.
 */
export function describe(expected: PType, actual: PType, path: Path): readonly Mismatch[] {
  const unresolved = findUnresolved(expected);
  if (unresolved !== null) return [otherMismatch(path, `references an unresolved type '${unresolved}'`)];
  return describeNormal(expected.normalize(), expected, actual, path);
}

function findUnresolved(type: PType): string | null {
  let found: string | null = null;
  const seen = new Set<PType>();
  type.accept((part) => {
    if (found !== null || seen.has(part)) return false;
    seen.add(part);
    if (part instanceof TypeReferenceType) found = part.typeString;
    return true;
  });
  return found;
}

/** `original` is the type to print: the alias or Optional from which `expected` was unwrapped. */
function describeNormal(expected: PType, original: PType, actual: PType, path: Path): readonly Mismatch[] {
  if (expected instanceof VariantType) return describeVariant(expected, original, actual, path);
  if (expected instanceof StructType) return describeStruct(expected, original, actual, path);
  if (expected instanceof HashType) return describeHash(expected, original, actual, path);
  if (expected instanceof TupleType) return describeTuple(expected, original, actual, path, sizeMismatch);
  if (expected instanceof ArrayType) return describeArray(expected, original, actual, path);
  if (expected instanceof CallableType) return describeCallable(expected, original, actual, path);
  if (expected instanceof OptionalType) return describeOptional(expected, original, actual, path);
  if (expected.kind === 'Pattern' || expected.kind === 'Enum') return [patternMismatch(path, original, actual)];
  if (expected instanceof TypeAliasType) {
    return describeNormal(expected.resolvedType.normalize(), expected, actual, path);
  }
  return expected.isAssignable(actual) ? [] : [typeMismatch(path, original, actual)];
}

function describeOptional(expected: OptionalType, original: PType, actual: PType, path: Path): readonly Mismatch[] {
  if (actual.kind === 'Undef' || expected.type === null) return [];
  return describeNormal(expected.type, original instanceof TypeAliasType ? original : expected, actual, path);
}

function describeVariant(expected: VariantType, original: PType, actual: PType, path: Path): readonly Mismatch[] {
  const options = original instanceof OptionalType ? [UNDEF, ...expected.types] : expected.types;
  const found: (readonly Mismatch[])[] = [];
  for (const [index, option] of options.entries()) {
    const descriptions = describe(option, actual, [...path, { how: 'variant', key: index }]);
    if (descriptions.length === 0) return [];
    found.push(descriptions);
  }
  const merged = mergeDescriptions(path.length, 'size', found);
  return original instanceof TypeAliasType && merged.length === 1 ? [typeMismatch(path, original, actual)] : merged;
}

/**
 * Joins the mismatches of all alternatives. When all alternatives fail in the same way at the same
 * place, they become one mismatch. `position` is the index of the path element that names the
 * alternative.
 */
export function mergeDescriptions(
  position: number,
  sizeKind: 'size' | 'count',
  alternatives: readonly (readonly Mismatch[])[],
): readonly Mismatch[] {
  const all = alternatives.flat();
  const merged = mergeAlike(all, alternatives.length, sizeKind) ?? selectDistinct(all);
  const [only] = merged;
  return merged.length === 1 && only ? [withoutPathElement(only, position)] : merged;
}

/** Puppet: only mismatches of blocks can compare as equal (type_mismatch_describer.rb). */
function selectDistinct(all: readonly Mismatch[]): readonly Mismatch[] {
  const isBlock = (item: Mismatch) => item.what === 'missing-block' || item.what === 'unexpected-block';
  return all.filter(
    (item, index) =>
      !isBlock(item) || !all.slice(0, index).some((other) => other.what === item.what && samePlace(other, item)),
  );
}

function mergeAlike(all: readonly Mismatch[], count: number, sizeKind: 'size' | 'count'): Mismatch[] | null {
  const kinds: readonly ((item: Mismatch) => boolean)[] = [
    (item) => item.what === sizeKind || (sizeKind === 'size' && item.what === 'count'),
    (item) => item.what === 'missing-block',
    (item) => item.what === 'unexpected-block',
    (item) => item.what === 'type' || item.what === 'pattern',
  ];
  for (const isKind of kinds) {
    const alike = all.filter(isKind);
    const [first, ...rest] = alike;
    if (first === undefined || alike.length !== count) continue;
    if (rest.every((item) => samePlace(first, item))) return [rest.reduce(mergeMismatches, first)];
  }
  return null;
}

function describeArray(expected: ArrayType, original: PType, actual: PType, path: Path): readonly Mismatch[] {
  const size = expected.size ?? ANY_SIZE;
  if (actual instanceof TupleType) {
    const actualSize = actual.size ?? sizeOf(actual.types.length);
    if (!size.covers(actualSize)) return [sizeMismatch(path, size, actualSize)];
    return actual.types.flatMap((type, index) =>
      expected.element.isAssignable(type)
        ? []
        : describe(expected.element, type, [...path, { how: 'index', key: index }]),
    );
  }
  if (!(actual instanceof ArrayType)) return [typeMismatch(path, original, actual)];
  const actualSize = actual.size ?? ANY_SIZE;
  if (!size.covers(actualSize)) return [sizeMismatch(path, size, actualSize)];
  return [typeMismatch(path, original, new ArrayType(actual.element))];
}

function describeHash(expected: HashType, original: PType, actual: PType, path: Path): readonly Mismatch[] {
  const size = expected.size ?? ANY_SIZE;
  if (actual instanceof StructType) {
    if (!size.covers(actual.sizeRange)) return [sizeMismatch(path, size, actual.sizeRange)];
    return actual.elements.flatMap((element) => describeEntry(expected.key, expected.value, element, path));
  }
  return describeHashAsHash(size, original, actual, path);
}

function describeHashAsHash(size: IntegerType, original: PType, actual: PType, path: Path): readonly Mismatch[] {
  if (!(actual instanceof HashType)) return [typeMismatch(path, original, actual)];
  const actualSize = actual.size ?? ANY_SIZE;
  if (!size.covers(actualSize)) return [sizeMismatch(path, size, actualSize)];
  return [typeMismatch(path, original, new HashType(actual.key, actual.value))];
}

function describeEntry(key: PType, value: PType, actual: StructElement, path: Path): readonly Mismatch[] {
  const { name, keyType, valueType } = actual;
  const keys = key.isAssignable(keyType) ? [] : describe(key, keyType, [...path, { how: 'key', key: name }]);
  const values = value.isAssignable(valueType)
    ? []
    : describe(value, valueType, [...path, { how: 'entry', key: name }]);
  return [...keys, ...values];
}

function describeStruct(expected: StructType, original: PType, actual: PType, path: Path): readonly Mismatch[] {
  if (!(actual instanceof StructType)) return describeHashAsHash(expected.sizeRange, original, actual, path);
  const known = expected.elements.flatMap((element) => {
    const found = actual.byName.get(element.name);
    if (found) return describeEntry(element.keyType, element.valueType, found, path);
    return element.isOptional ? [] : [otherMismatch(path, `expects a value for key '${element.name}'`)];
  });
  const extra = actual.elements.filter((element) => !expected.byName.has(element.name));
  return [...known, ...extra.map((element) => otherMismatch(path, `unrecognized key '${element.name}'`))];
}

type SizeMismatchMaker = (path: Path, expected: IntegerType, actual: IntegerType) => Mismatch;

function describeTuple(
  expected: TupleType,
  original: PType,
  actual: PType,
  path: Path,
  wrongSize: SizeMismatchMaker,
): readonly Mismatch[] {
  if (expected.equals(actual) || (expected.types.length === 0 && actual instanceof ArrayType)) return [];
  const size = expected.sizeRange;
  if (actual instanceof TupleType) {
    if (!size.covers(actual.sizeRange)) return [wrongSize(path, size, actual.sizeRange)];
    if (expected.types.length === 0) return [];
    return actual.types.flatMap((type, index) => {
      const at = Math.min(index, expected.types.length - 1);
      return describe(expected.types[at] ?? ANY, type, [...path, { how: 'index', key: at }]);
    });
  }
  if (!(actual instanceof ArrayType)) return [typeMismatch(path, original, actual)];
  const actualSize = actual.size ?? ANY_SIZE;
  if (!size.covers(actualSize)) return [wrongSize(path, size, actualSize)];
  return expected.types.flatMap((type, index) =>
    describe(type, actual.element, [...path, { how: 'index', key: index }]),
  );
}

function describeCallable(expected: CallableType, original: PType, actual: PType, path: Path): readonly Mismatch[] {
  if (!(actual instanceof CallableType)) return [typeMismatch(path, original, actual)];
  if (expected.params === null) return describeReturn(expected, actual, path);
  const params = describeTuple(expected.params, expected.params, actual.params ?? new TupleType(), path, countMismatch);
  if (params.length > 0) return params;
  return describeReturn(expected, actual, path);
}

function describeReturn(expected: CallableType, actual: CallableType, path: Path): readonly Mismatch[] {
  const [wanted, got] = [expected.returns ?? ANY, actual.returns ?? ANY];
  if (!wanted.isAssignable(got)) return [typeMismatch([...path, { how: 'return', key: 'return' }], wanted, got)];
  const [block, actualBlock] = [expected.block ?? UNDEF, actual.block ?? UNDEF];
  if (actualBlock.isAssignable(block)) return [];
  return [typeMismatch([...path, { how: 'block', key: 'block' }], block, actualBlock)];
}
