/**
 * Evaluates `Type[parameters]`: checks the parameters and raises Puppet's errors.
 * puppet/types/parameterize.ts creates the type. Puppet:
 * lib/puppet/pops/evaluator/access_operator.rb
 */

import { ISSUES } from '../../errors/issues/catalogue.ts';
import { withCapitalArticle } from '../../errors/issues/issue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import type { AccessExpression } from '../../language/ast.ts';
import { ObjectType } from '../../types/objects/object-type.ts';
import { PuppetObject } from '../../types/objects/puppet-object.ts';
import { parameterizeType } from '../../types/parameterize.ts';
import { PType } from '../../types/ptype.ts';
import { TypeReferenceType } from '../../types/reference-types.ts';
import { rubyClassName } from '../../types/ruby-class.ts';
import { IntegerType } from '../../types/scalar-types.ts';
import { URI_PARAMETER } from '../../types/uri/uri-pattern.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../../types/values/regexp.ts';
import { DEFAULT, type Value } from '../../types/values/values.ts';
import { SemVerRange } from '../../types/versions/sem-ver-range.ts';
import { valueLabel } from '../labels.ts';
import { failWith } from '../report.ts';
import { flattenTitles } from '../resources.ts';
import { keyNode, keyTypeText } from './access-keys.ts';

interface Access {
  readonly type: PType;
  readonly keys: readonly Value[];
  readonly node: AccessExpression;
}

type Check = (access: Access) => void;

/** A class of values that a type parameter accepts, with its name in errors. */
interface KeyClass {
  readonly label: string;
  readonly includes: (key: Value) => boolean;
}

const STRING: KeyClass = { label: 'String', includes: (key) => typeof key === 'string' };
const REGEXP: KeyClass = { label: 'Regexp', includes: (key) => key instanceof PuppetRegexp };
const HASH: KeyClass = { label: 'Hash', includes: (key) => key instanceof PuppetHash };
const TYPE: KeyClass = { label: 'Any-Type', includes: isType };
const TRUE: KeyClass = { label: 'TrueClass', includes: (key) => key === true };
const FALSE: KeyClass = { label: 'FalseClass', includes: (key) => key === false };
const PATTERN_TYPE: KeyClass = { label: 'Pattern-Type', includes: (key) => isType(key) && key.kind === 'Pattern' };
const REGEXP_TYPE: KeyClass = { label: 'Regexp-Type', includes: (key) => isType(key) && key.kind === 'Regexp' };
const VERSION_RANGE: KeyClass = {
  label: 'SemanticPuppet::VersionRange',
  includes: (key) => key instanceof SemVerRange,
};

const ANY_NUMBER = Number.POSITIVE_INFINITY;

const CHECKS: Readonly<Record<string, Check>> = {
  Array: checkArray,
  Boolean: (access) => assertKeys(access, access.keys, 1, [TRUE, FALSE]),
  Callable: checkCallable,
  Collection: (access) => checkSizeOnly(access, () => failArity(access, 'Collection-Type', 1, 2)),
  Enum: (access) => assertKeys(access, withoutFlag(access.keys), ANY_NUMBER, [STRING]),
  Float: (access) => checkNumbers(access, 'BAD_FLOAT_SLICE_ARITY', 'BAD_FLOAT_SLICE_TYPE', isFloatKey),
  Hash: checkHash,
  Init: checkInit,
  Integer: (access) => checkNumbers(access, 'BAD_INTEGER_SLICE_ARITY', 'BAD_INTEGER_SLICE_TYPE', isIntegerKey),
  Iterable: (access) => checkOneType(access, 'Iterable-Type'),
  Iterator: (access) => checkOneType(access, 'Iterator-Type'),
  NotUndef: checkNotUndef,
  Object: checkObject,
  Optional: (access) => checkOneType(access, 'Optional-Type', (key) => isType(key) || typeof key === 'string'),
  Pattern: (access) => assertKeys(access, access.keys, ANY_NUMBER, [STRING, REGEXP, PATTERN_TYPE, REGEXP_TYPE]),
  Regexp: checkRegexp,
  Runtime: (access) => assertKeys(access, access.keys, 2, [STRING, STRING], 2),
  SemVer: (access) => assertKeys(access, access.keys, ANY_NUMBER, [STRING, VERSION_RANGE]),
  Sensitive: (access) => checkOneType(access, 'Sensitive-Type'),
  String: (access) =>
    checkSizeOnly(access, () => failWith(ISSUES.BAD_STRING_SLICE_ARITY({ actual: access.keys.length }), access.node)),
  Struct: (access) => assertKeys(access, access.keys, 1, [HASH]),
  Timespan: checkTimeRange,
  Timestamp: checkTimeRange,
  Tuple: (access) => assertKeys(access, withoutRange(access.keys), ANY_NUMBER, [TYPE]),
  Type: (access) => checkOneType(access, 'Type-Type'),
  TypeSet: (access) => checkOneKey(access, 'TypeSet-Type'),
  URI: checkUri,
  Variant: (access) => assertKeys(access, access.keys, ANY_NUMBER, [TYPE]),
};

/** Types whose array parameters are meaningful. Array parameters of other types are spliced. */
const NOT_FLATTENED = new Set(['Callable', 'Struct', 'Init']);

export function accessType(type: PType, rawKeys: readonly Value[], node: AccessExpression): PType {
  if (type.kind === 'TypeReference') {
    failWith(ISSUES.UNKNOWN_RESOURCE_TYPE({ type: printReferenced(type) }), node);
  }
  const check = CHECKS[type.kind];
  if (!check) {
    failWith(ISSUES.OPERATOR_NOT_APPLICABLE({ operator: '[]', left: valueLabel(type) }), node.leftExpr);
  }
  const keys = NOT_FLATTENED.has(type.kind) ? rawKeys : rawKeys.flatMap(flattenTitles);
  check({ type, keys, node });
  return parameterizeType(type, keys);
}

function printReferenced(type: PType): string {
  return type instanceof TypeReferenceType ? type.typeString : String(type);
}

function isType(key: Value): key is PType {
  return key instanceof PType;
}

function isIntegerKey(key: Value): boolean {
  return typeof key === 'bigint' || key === DEFAULT;
}

function isFloatKey(key: Value): boolean {
  return typeof key === 'number' || isIntegerKey(key);
}

function isRangeKey(key: Value | undefined): boolean {
  return typeof key === 'bigint' || key === DEFAULT || key === 'default';
}

/** Removes Enum's last parameter when it is the case-insensitivity flag. */
function withoutFlag(keys: readonly Value[]): readonly Value[] {
  return typeof keys.at(-1) === 'boolean' ? keys.slice(0, -1) : keys;
}

/** Removes the one or two last parameters of a Tuple that give its size. */
function withoutRange(keys: readonly Value[]): readonly Value[] {
  if (!isRangeKey(keys.at(-1))) return keys;
  return isRangeKey(keys.at(-2)) ? keys.slice(0, -2) : keys.slice(0, -1);
}

function assertKeys(access: Access, keys: readonly Value[], max: number, classes: readonly KeyClass[], min = 1): void {
  // Puppet: the message always gives 1 as the minimum.
  if (keys.length < min || keys.length > max) failArity(access, typeBase(access), 1, max, keys.length);
  for (const [index, key] of keys.entries()) {
    if (classes.some((each) => each.includes(key))) continue;
    const expected = classes.map(({ label }) => label).join(' or ');
    const message = `Cannot use ${keyTypeText(key)} where ${expected} is expected`;
    failWith(ISSUES.BAD_TYPE_SPECIALIZATION({ type: valueLabel(access.type), message }), keyNode(access.node, index));
  }
}

/** Returns the type's label with an article: `A String-Type`. */
function typeBase({ type }: Access): string {
  return withCapitalArticle(valueLabel(type));
}

function failArity({ node, keys }: Access, base: string, min: number, max: number | null, actual = keys.length): never {
  failWith(ISSUES.BAD_TYPE_SLICE_ARITY({ base, min, max, actual }), node);
}

function failType({ node, keys }: Access, base: string, index: number): never {
  const actual = rubyClassName(keys[index] ?? null);
  failWith(ISSUES.BAD_TYPE_SLICE_TYPE({ base, actual }), keyNode(node, index));
}

function checkOneKey(access: Access, base: string): void {
  if (access.keys.length !== 1) failArity(access, base, 1, null);
}

function checkOneType(access: Access, base: string, accepts: (key: Value) => boolean = isType): void {
  checkOneKey(access, base);
  if (!accepts(access.keys[0] ?? null)) failType(access, base, 0);
}

function checkNumbers(
  { keys, node }: Access,
  arity: 'BAD_INTEGER_SLICE_ARITY' | 'BAD_FLOAT_SLICE_ARITY',
  type: 'BAD_INTEGER_SLICE_TYPE' | 'BAD_FLOAT_SLICE_TYPE',
  accepts: (key: Value) => boolean,
): void {
  if (keys.length < 1 || keys.length > 2) failWith(ISSUES[arity]({ actual: keys.length }), node);
  for (const [index, key] of keys.entries()) {
    if (!accepts(key)) failWith(ISSUES[type]({ actual: rubyClassName(key) }), keyNode(node, index));
  }
}

/** Checks the size parameters from `start` on: one Integer type, or one or two integers. */
function checkSize({ keys, node }: Access, start: number): void {
  const sizes = keys.slice(start);
  if (sizes.length === 1 && sizes[0] instanceof IntegerType) return;
  for (const [index, key] of sizes.entries()) {
    if (isIntegerKey(key)) continue;
    failWith(ISSUES.BAD_COLLECTION_SLICE_TYPE({ actual: classLabel(key) }), keyNode(node, start + index));
  }
}

/** Returns Puppet's label of a value's class: `String`; `String-Type` for a type. */
function classLabel(key: Value): string {
  if (key instanceof PuppetObject) return key.shape.name;
  return key instanceof PType ? `${key.kind}-Type` : rubyClassName(key);
}

function checkSizeOnly(access: Access, failOnArity: () => never): void {
  if (access.keys.length < 1 || access.keys.length > 2) failOnArity();
  checkSize(access, 0);
}

function checkArray(access: Access): void {
  const { keys } = access;
  const typed = isType(keys[0] ?? null);
  if (keys.length < 1 || keys.length > 3) failArity(access, 'Array-Type', 1, 3);
  if (!typed && keys.length !== 2) failType(access, 'Array-Type', 0);
  if (keys.length > 1) checkSize(access, typed ? 1 : 0);
}

function checkHash(access: Access): void {
  const { keys } = access;
  if (keys.length === 2 && typeof keys[0] === 'bigint' && typeof keys[1] === 'bigint') return;
  for (const [index, key] of keys.slice(0, 2).entries()) if (!isType(key)) failType(access, 'Hash-Type', index);
  if (keys.length < 2 || keys.length > 4) failArity(access, 'Hash-Type', 2, 4);
  if (keys.length === 4) checkSize(access, 2);
  // Puppet: a single size is not checked, and Ruby then fails to compare it.
  if (keys.length === 3 && typeof keys[2] === 'string')
    // Ruby: Float comparison
    throw new PuppetError('comparison of String with Infinity failed');
}

function checkCallable(access: Access): void {
  const [parameters, returns] = access.keys;
  if (!Array.isArray(parameters)) return;
  if (access.keys.length !== 2) failArity(access, typeBase(access), 2, 2);
  if (isType(returns ?? null)) return;
  const message = `Cannot use ${keyTypeText(returns ?? null)} where Any-Type is expected`;
  failWith(ISSUES.BAD_TYPE_SPECIALIZATION({ type: valueLabel(access.type), message }), keyNode(access.node, 1));
}

function checkInit(access: Access): void {
  if (!isType(access.keys[0] ?? null)) failType(access, 'Init-Type', 0);
}

function checkNotUndef(access: Access): void {
  const { keys, node } = access;
  if (keys.length > 1) failArity(access, 'NotUndef-Type', 0, 1);
  const [key] = keys;
  if (key === undefined || typeof key === 'string' || isType(key)) return;
  const args = { base: 'NotUndef-Type', actual: rubyClassName(key) };
  failWith(ISSUES.BAD_NOT_UNDEF_SLICE_TYPE(args), keyNode(node, 0));
}

/** Checks an Object type: a named one takes its own parameters, an unnamed one its definition. */
function checkObject(access: Access): void {
  if (access.type instanceof ObjectType && access.type.declaredName === null) checkOneKey(access, 'Object-Type');
}

function checkRegexp(access: Access): void {
  const { keys, node } = access;
  if (keys.length !== 1) {
    const place = keys.length === 0 ? node : keyNode(node, 1);
    const args = { base: typeBase(access), min: 1, max: null, actual: keys.length };
    failWith(ISSUES.BAD_TYPE_SLICE_ARITY(args), place);
  }
  assertKeys(access, keys, 1, [STRING, REGEXP]);
}

function checkTimeRange(access: Access): void {
  if (access.keys.length > 2) failArity(access, typeBase(access), 0, 2);
}

function checkUri(access: Access): void {
  checkOneKey(access, 'URI-Type');
  if (!URI_PARAMETER.isInstance(access.keys[0] ?? null)) failType(access, 'URI-Type', 0);
}
