/**
 * Evaluates `Resource[type, title]`, `File[title]`, `File[title][parameter]`,
 * `Class[name][parameter]`.
 */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import type { AccessExpression, Positioned } from '../../language/ast.ts';
import { ClassType, ResourceType } from '../../types/catalog-types.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import type { Value } from '../../types/values/values.ts';
import { valueLabel } from '../labels.ts';
import { failWith } from '../report.ts';
import { flattenTitles } from '../resources.ts';
import type { Scope } from '../scope.ts';
import { keyNode, keyTypeText } from './access-keys.ts';

const TYPE_NAME = /^((::){0,1}[A-Z]\w*)+$/;
const CLASS_NAME = /^((::)?[a-z]\w*)(::[a-z]\w*)*$/;

export function accessResource(
  type: ResourceType,
  keys: readonly Value[],
  node: AccessExpression,
  scope: Scope,
): Value {
  const [first] = keys;
  if (first === undefined) return failNoKeys(type, node);
  const isPlain = keys.length === 1 && typeof first === 'string' && type.typeName !== null && type.title === null;
  // A name written out literally needs no further check.
  if (isPlain && node.leftExpr.kind === 'QualifiedReference') return type.withTitle(first);
  const typeName = type.typeName ?? typeNameFrom(first, node);
  if (!TYPE_NAME.test(typeName)) failWith(ISSUES.ILLEGAL_CLASSREF({ name: typeName }), keyNode(node, 0));
  if (isPlain) return type.withTitle(first);
  const titles = type.typeName === null ? keys.slice(1) : keys;
  const asList = titles.length > 1 || Array.isArray(titles[0]);
  const wanted = titles.flatMap(flattenTitles).filter((title) => title !== null);
  if (wanted.length === 0 && titles.length > 0) return asList ? [] : null;
  if (type.title !== null) {
    const values = wanted.map((key) => parameterValue(type, type.typeName ?? '', type.title ?? '', key, node, scope));
    return asList ? values : (values.at(-1) ?? null);
  }
  if (wanted.length === 0) return new ResourceType(typeName);
  const shift = titles.length === wanted.length ? 0 : 1;
  const references = wanted.map((title, index) => {
    if (typeof title !== 'string') return failTitle(type, title, keyNode(node, index + shift));
    return new ResourceType(typeName, title);
  });
  return asList ? references : (references.at(-1) ?? null);
}

function failTitle(type: ResourceType, title: Value, place: Positioned | null): never {
  const message = `Cannot use ${keyTypeText(title)} where a resource title String is expected`;
  failWith(ISSUES.BAD_TYPE_SPECIALIZATION({ type: valueLabel(type), message }), place);
}

function failNoKeys(type: ResourceType | ClassType, node: AccessExpression): never {
  const args = { base: String(type), min: 1, max: Number.POSITIVE_INFINITY, actual: 0 };
  failWith(ISSUES.BAD_TYPE_SLICE_ARITY(args), node);
}

/** Returns the type name given to `Resource[...]` as a string or a type. */
function typeNameFrom(key: Value, node: AccessExpression): string {
  if (typeof key === 'string') return capitalizeName(key);
  if (key instanceof ResourceType && key.typeName !== null) return key.typeName;
  const actual = key instanceof ResourceType ? 'Undef' : keyTypeText(key);
  failWith(ISSUES.ILLEGAL_RESOURCE_SPECIALIZATION({ actual }), keyNode(node, 0));
}

function capitalizeName(name: string): string {
  if (/^[A-Z]/.test(name)) return name;
  return name
    .split('::')
    .map((segment) => segment.charAt(0).toUpperCase() + segment.slice(1).toLowerCase())
    .join('::');
}

function parameterValue(
  reference: ResourceType | ClassType,
  type: string,
  title: string,
  key: Value,
  node: AccessExpression,
  scope: Scope,
): Value {
  const parameter = typeof key === 'string' ? key : null;
  const value = scope.context.catalog.resourceParameter(scope, reference, parameter ?? '', node);
  if (value === undefined) failWith(ISSUES.UNKNOWN_RESOURCE({ type, title }), node);
  if (parameter === null || !scope.context.catalog.isParameterOf(reference, parameter)) {
    const args = { type, title, parameter: rubyToS(key) };
    failWith(ISSUES.UNKNOWN_RESOURCE_PARAMETER(args), node);
  }
  return value;
}

export function accessClass(type: ClassType, keys: readonly Value[], node: AccessExpression, scope: Scope): Value {
  if (keys.length === 0) return failNoKeys(type, node);
  const asList = keys.length > 1 || Array.isArray(keys[0]);
  const wanted = keys.flatMap(flattenTitles).filter((key) => key !== null);
  if (wanted.length === 0) return asList ? [] : null;
  const { className } = type;
  const values = wanted.map((key, index) =>
    className === null ? classReference(key, index, node) : parameterValue(type, 'Class', className, key, node, scope),
  );
  return asList ? values : (values.at(-1) ?? null);
}

function classReference(key: Value, index: number, node: AccessExpression): ClassType {
  const place = keyNode(node, index);
  if (typeof key !== 'string') failWith(ISSUES.ILLEGAL_HOSTCLASS_NAME({ name: valueLabel(key) }), place);
  const name = key.toLowerCase().replace(/^::/, '');
  if (!CLASS_NAME.test(name)) failWith(ISSUES.ILLEGAL_NAME({ name: key }), place);
  return new ClassType(name);
}
