/** Evaluates `x[keys]` on values. Puppet: lib/puppet/pops/evaluator/access_operator.rb */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import type { AccessExpression, Expression } from '../../language/ast.ts';
import { parseNumber } from '../../ruby-core/puppet-number.ts';
import { ClassType, ResourceType } from '../../types/catalog-types.ts';
import { PuppetObject } from '../../types/objects/puppet-object.ts';
import { PType } from '../../types/ptype.ts';
import { Binary } from '../../types/values/binary.ts';
import { BytesText, findKey, plainText } from '../../types/values/bytes-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { valueLabel } from '../labels.ts';
import { coerceNumeric } from '../numeric.ts';
import { methodsOf } from '../object-methods.ts';
import type { ExpressionEvaluator } from '../ports.ts';
import { failWith } from '../report.ts';
import { flattenTitles } from '../resources.ts';
import type { Scope } from '../scope.ts';
import { resolveReferencedType } from '../type-references.ts';
import { keyNode, keyTypeText } from './access-keys.ts';
import { accessClass, accessResource } from './reference-access.ts';
import { accessType } from './type-access.ts';

export function evalAccess(evaluator: ExpressionEvaluator, node: AccessExpression, scope: Scope): Value {
  const left = evaluator.evaluate(node.leftExpr, scope);
  const only = node.keys.length === 1 ? node.keys[0] : undefined;
  if (left instanceof PuppetHash && only) {
    const key = findKey(evaluator.evaluate(only, scope));
    scope.context.inputs.site = node;
    return left.get(key) ?? null;
  }
  if (left instanceof ClassType) {
    const keys = node.keys.map((key) => evalClassKey(evaluator, key, scope));
    return accessClass(left, keys, node, scope);
  }
  const keys = node.keys.map((key) => plainText(evaluator.evaluate(key, scope)));
  scope.context.inputs.site = node;
  if (left instanceof PuppetHash) return accessHash(left, keys, node);
  if (Array.isArray(left)) return accessArray(left, flattenTitles(keys), node, scope);
  if (typeof left === 'string') return accessString(left, flattenTitles(keys), node);
  if (left instanceof BytesText) return left.map((text) => accessString(text, flattenTitles(keys), node));
  if (left instanceof Binary) return accessBinary(left, flattenTitles(keys), node);
  if (left instanceof ResourceType) return accessResourceType(left, keys, node, scope);
  if (left instanceof PType) return accessType(left, keys, node);
  const methods = left instanceof PuppetObject ? methodsOf(left, scope) : null;
  if (methods?.hasMethod('[]')) return methods.callMethod('[]', keys, null);
  failWith(ISSUES.OPERATOR_NOT_APPLICABLE({ operator: '[]', left: valueLabel(left) }), node.leftExpr);
}

// Puppet: Class[Foo] accepts the name of a type that does not exist.
function evalClassKey(evaluator: ExpressionEvaluator, key: Expression, scope: Scope): Value {
  return key.kind === 'QualifiedReference' ? resolveReferencedType(key, scope) : evaluator.evaluate(key, scope);
}

function accessResourceType(type: ResourceType, keys: readonly Value[], node: AccessExpression, scope: Scope): Value {
  const [first] = keys;
  if (type.typeName === null && keys.length === 1 && first instanceof ResourceType) return first;
  return accessResource(type, keys, node, scope);
}

function accessHash(hash: PuppetHash, keys: readonly Value[], node: AccessExpression): Value {
  const [first] = keys;
  if (first === undefined) failWith(ISSUES.BAD_HASH_SLICE_ARITY({ actual: 0 }), node.leftExpr);
  if (keys.length === 1) return hash.get(first) ?? null;
  return keys.map((key) => hash.get(key) ?? null).filter((value) => value !== null);
}

function accessArray(array: readonly Value[], keys: readonly Value[], node: AccessExpression, scope: Scope): Value {
  if (keys.length === 0 || keys.length > 2) {
    failWith(ISSUES.BAD_ARRAY_SLICE_ARITY({ actual: keys.length }), node.leftExpr);
  }
  const numbers = keys.map((key, index) => coerceNumeric(key, keyNode(node, index) ?? node, scope.context));
  const [start = 0, count] = numbers.map((key, index) => arrayIndex(array, key, index, node));
  if (count === undefined) return array.at(start) ?? null;
  const [from, length] = sliceOf(array.length, start, count);
  return length < 0 ? [] : array.slice(from, from + length);
}

function arrayIndex(array: readonly Value[], key: Value, index: number, node: AccessExpression): number {
  if (typeof key === 'bigint') return Number(key);
  const args = { left: valueLabel(array), expected: ['Integer'], actual: keyTypeText(key) };
  failWith(ISSUES.BAD_SLICE_KEY_TYPE(args), keyNode(node, index));
}

/**
 * Returns start and length of a slice. A negative start counts from the end; a negative length is
 * the last position, counted from the end.
 */
function sliceOf(size: number, start: number, count: number): readonly [number, number] {
  const from = start < 0 ? size + start : start;
  const length = count < 0 ? size - from + count + 1 : count;
  return from < 0 ? [0, length + from] : [from, length];
}

function accessString(text: string, keys: readonly Value[], node: AccessExpression): string {
  // Counts characters, not UTF-16 units.
  const characters = /[\ud800-\udbff]/.test(text) ? [...text] : text;
  const [from, length] = stringSlice(characters.length, keys, node);
  if (length < 0) return '';
  const slice = characters.slice(from, from + length);
  return typeof slice === 'string' ? slice : slice.join('');
}

function accessBinary(binary: Binary, keys: readonly Value[], node: AccessExpression): Binary {
  const [from, length] = stringSlice(binary.bytes.length, keys, node);
  return new Binary(binary.bytes.slice(from, Math.max(from, from + length)));
}

function stringSlice(size: number, keys: readonly Value[], node: AccessExpression): readonly [number, number] {
  if (keys.length === 0 || keys.length > 2) {
    failWith(ISSUES.BAD_STRING_SLICE_ARITY({ actual: keys.length }), node.leftExpr);
  }
  const [start = 0, count] = keys.map((key, index) => characterIndex(key, index, node));
  if (count !== undefined) return sliceOf(size, start, count);
  const from = start < 0 ? size + start : start;
  return from < 0 ? [0, -1] : [from, 1];
}

function characterIndex(key: Value, index: number, node: AccessExpression): number {
  const number = typeof key === 'string' ? (parseNumber(key) ?? key) : key;
  if (typeof number === 'bigint') return Number(number);
  failWith(ISSUES.BAD_STRING_SLICE_KEY_TYPE({ actual: keyTypeText(number) }), keyNode(node, index));
}
