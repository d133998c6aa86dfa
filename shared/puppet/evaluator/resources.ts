/**
 * Evaluates resource expressions, defaults, overrides and collectors. Errors are detected here;
 * CatalogOperations changes the catalog. Puppet: EvaluatorImpl#eval_ResourceExpression and the
 * methods next to it.
 */

import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type {
  AbstractAttributeOperation,
  AttributeOperation,
  AttributesOperation,
  CollectExpression,
  Expression,
  ResourceBody,
  ResourceDefaultsExpression,
  ResourceExpression,
  ResourceOverrideExpression,
} from '../language/ast.ts';
import { CatalogEntryType, ClassType, ResourceType } from '../types/catalog-types.ts';
import { displayString } from '../types/format/string-converter.ts';
import { infer } from '../types/inference.ts';
import { rubyClassName } from '../types/ruby-class.ts';
import { keyText } from '../types/values/bytes-text.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetIterator } from '../types/values/puppet-iterator.ts';
import { DEFAULT, type DefaultValue, type Value } from '../types/values/values.ts';
import { valueLabel } from './labels.ts';
import { parameterValue } from './parameter-value.ts';
import type { ExpressionEvaluator, ResourceParameter } from './ports.ts';
import { addLocation, failWith, warn } from './report.ts';
import type { Scope } from './scope.ts';

export function evalResource(evaluator: ExpressionEvaluator, node: ResourceExpression, scope: Scope): Value {
  const { context } = scope;
  context.inputs.site = node;
  const typeName = typeNameOf(evaluator, node.typeName, scope);
  if (node.form === 'exported' && !context.settings.storeconfigs) {
    warn(context, ISSUES.RT_NO_STORECONFIGS_EXPORT(), node);
  }
  const [only] = node.bodies;
  if (only && node.bodies.length === 1) {
    const { titles, parameters } = evalBody(evaluator, node, only, null, scope);
    context.inputs.site = node;
    return context.catalog.createResources(scope, node, node.form, typeName, titles, parameters);
  }
  const seen = new Set<string | DefaultValue>();
  const bodies = node.bodies.map((body) => evalBody(evaluator, node, body, seen, scope));
  context.inputs.site = node;
  const defaults = bodies.find(({ isDefault }) => isDefault)?.parameters;
  return bodies.flatMap(({ titles, parameters }) => {
    const merged = defaults ? mergeDefaults(defaults, parameters) : parameters;
    return context.catalog.createResources(scope, node, node.form, typeName, titles, merged);
  });
}

interface EvaluatedBody {
  readonly titles: readonly string[];
  readonly isDefault: boolean;
  /** Each name occurs once. */
  readonly parameters: readonly ResourceParameter[];
}

function mergeDefaults(
  defaults: readonly ResourceParameter[],
  parameters: readonly ResourceParameter[],
): readonly ResourceParameter[] {
  const byName = new Map<string, ResourceParameter>();
  for (const parameter of defaults) byName.set(parameter.name, parameter);
  for (const parameter of parameters) byName.set(parameter.name, parameter);
  return [...byName.values()];
}

function typeNameOf(evaluator: ExpressionEvaluator, node: Expression, scope: Scope): string {
  if (node.kind === 'QualifiedName') return node.value;
  const value = evaluator.evaluate(node, scope);
  const acceptable =
    node.kind === 'QualifiedReference' ||
    (node.kind === 'AccessExpression' && node.leftExpr.kind === 'QualifiedReference');
  if (acceptable && value instanceof ClassType) {
    if (value.className === null) return 'class';
    failWith(ISSUES.ILLEGAL_RESOURCE_TYPE({ actual: String(value) }), node);
  }
  if (acceptable && value instanceof ResourceType) {
    if (value.title === null && value.typeName !== null) return value.typeName;
    failWith(ISSUES.ILLEGAL_RESOURCE_TYPE({ actual: String(value) }), node);
  }
  failWith(ISSUES.ILLEGAL_RESOURCE_TYPE({ actual: typeText(value) }), node);
}

/** Returns the generalised type of a value, as errors name it. */
function typeText(value: Value): string {
  return infer(value).generalize().toString();
}

/** Evaluates a body. `others`: the titles of the preceding bodies; null for the only body. */
function evalBody(
  evaluator: ExpressionEvaluator,
  node: ResourceExpression,
  body: ResourceBody,
  others: Set<string | DefaultValue> | null,
  scope: Scope,
): EvaluatedBody {
  const all = titlesOf(evaluator, body, scope);
  const seen = others ?? (all.length > 1 ? new Set<string | DefaultValue>() : null);
  all.forEach((title, index) => {
    assertTitle(title, index, body, node, seen);
  });
  const titles = all.filter((title) => typeof title === 'string');
  return {
    titles,
    isDefault: titles.length < all.length,
    parameters: evalParameters(evaluator, body.operations, node, scope),
  };
}

function titlesOf(evaluator: ExpressionEvaluator, body: ResourceBody, scope: Scope): readonly Value[] {
  const value = evaluator.evaluate(body.title, scope);
  if (value === null) failWith(ISSUES.MISSING_TITLE(), body.title ?? body);
  return flattenTitles(value);
}

/** Flattens nested arrays; another value becomes a list of one. */
export function flattenTitles(value: Value): readonly Value[] {
  return Array.isArray(value) ? value.flatMap(flattenTitles) : [keyText(value)];
}

function assertTitle(
  title: Value,
  index: number,
  body: ResourceBody,
  node: ResourceExpression,
  seen: Set<string | DefaultValue> | null,
): void {
  const place = body.title ?? body;
  if (title === null) failWith(ISSUES.MISSING_TITLE_AT({ index }), place);
  if (typeof title !== 'string' && title !== DEFAULT) {
    failWith(ISSUES.ILLEGAL_TITLE_TYPE_AT({ index, actual: typeText(title) }), place);
  }
  if (title === '') failWith(ISSUES.EMPTY_STRING_TITLE_AT({ index }), place);
  if (!seen) return;
  const key = typeof title === 'string' ? title : DEFAULT;
  if (seen.has(key)) failWith(ISSUES.DUPLICATE_TITLE({ title: displayString(title) }), node);
  seen.add(key);
}

const NO_PARAMETERS: readonly ResourceParameter[] = [];

/** Up to this number of attributes, a linear comparison is faster than a set. */
const FEW = 8;

function evalParameters(
  evaluator: ExpressionEvaluator,
  operations: readonly AbstractAttributeOperation[],
  node: Expression,
  scope: Scope,
): readonly ResourceParameter[] {
  if (operations.length === 0) return NO_PARAMETERS;
  const parameters: ResourceParameter[] = [];
  const isFew = operations.length <= FEW && operations.every(({ kind }) => kind === 'AttributeOperation');
  const names = isFew ? null : new Set<string>();
  const add = (parameter: ResourceParameter) => {
    const { name } = parameter;
    const isAgain = names ? names.has(name) : parameters.some((earlier) => earlier.name === name);
    if (isAgain) failWith(ISSUES.DUPLICATE_ATTRIBUTE({ name }), node);
    names?.add(name);
    parameters.push(parameter);
  };
  for (const operation of operations) {
    if (operation.kind === 'AttributesOperation') evalUnfolding(evaluator, operation, scope).forEach(add);
    else add(evalAttribute(evaluator, operation, scope));
  }
  return parameters;
}

function evalOperation(
  evaluator: ExpressionEvaluator,
  operation: AbstractAttributeOperation,
  scope: Scope,
): readonly ResourceParameter[] {
  if (operation.kind === 'AttributesOperation') return evalUnfolding(evaluator, operation, scope);
  return [evalAttribute(evaluator, operation, scope)];
}

function evalAttribute(evaluator: ExpressionEvaluator, operation: AttributeOperation, scope: Scope): ResourceParameter {
  const value = evaluator.evaluate(operation.valueExpr, scope);
  return parameterOf(operation.attributeName, value, operation.operator === '+>', operation);
}

function evalUnfolding(
  evaluator: ExpressionEvaluator,
  operation: AttributesOperation,
  scope: Scope,
): ResourceParameter[] {
  const value = evaluator.evaluate(operation.expr, scope);
  if (!(value instanceof PuppetHash)) {
    failWith(ISSUES.TYPE_MISMATCH({ expected: 'Hash', actual: typeText(value) }), operation.expr);
  }
  return [...value.entries()].map(([name, each]) => parameterOf(displayString(name), each, false, operation));
}

function parameterOf(name: string, value: Value, append: boolean, node: AbstractAttributeOperation): ResourceParameter {
  const fault = whatNoParameterHolds(value);
  if (fault !== null) throw addLocation(new PuppetError(fault), node);
  return { name, value: parameterValue(value), append, node };
}

/**
 * Returns the reason why a parameter cannot hold a value; null when it can. Puppet:
 * Runtime3Converter
 */
export function whatNoParameterHolds(value: Value): string | null {
  if (typeof value === 'bigint') return describeOutOfRange(value);
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return firstFault(value);
  if (value instanceof PuppetHash) return firstFault(value.keys()) ?? firstFault(value.values());
  if (value instanceof PuppetIterator) return 'Use of an Iterator is not supported here';
  if (value instanceof ClassType && value.className === null) {
    return 'No title provided and "class" is not a valid resource reference';
  }
  if (!(value instanceof CatalogEntryType) || value.kind !== 'CatalogEntry') return null;
  const type = rubyClassName(value);
  return `Cannot split the type ${type}, it represents neither a PClassType, nor a PResourceType.`;
}

/**
 * Detects an out-of-range Integer from Ruby code; Puppet's own arithmetic refuses to create one.
 */
function describeOutOfRange(value: bigint): string | null {
  if (BigInt.asIntN(64, value) === value) return null;
  const end = value > 0n ? 'max' : 'min';
  return `Use of a Ruby Integer outside of Puppet Integer ${end} range, got '0x${toHexadecimal(value)}'`;
}

/** Formats like Ruby's `%x`: a negative number has infinitely many leading digits. */
function toHexadecimal(value: bigint): string {
  if (value >= 0n) return value.toString(16);
  const bits = 4 * ((-value).toString(16).length + 1);
  return `..f${BigInt.asUintN(bits, value).toString(16).replace(/^f+/, '')}`;
}

function firstFault(values: Iterable<Value>): string | null {
  for (const value of values) {
    const fault = whatNoParameterHolds(value);
    if (fault !== null) return fault;
  }
  return null;
}

export function evalDefaults(evaluator: ExpressionEvaluator, node: ResourceDefaultsExpression, scope: Scope): Value {
  const type = evaluator.evaluate(node.typeRef, scope);
  if (!(type instanceof ResourceType) || type.typeName === null || type.title !== null) {
    failWith(ISSUES.ILLEGAL_RESOURCE_TYPE({ actual: typeText(type) }), node.typeRef ?? node);
  }
  const parameters = node.operations.flatMap((operation) => evalOperation(evaluator, operation, scope));
  scope.context.catalog.createDefaults(scope, node, type.typeName, parameters);
  return type;
}

export function evalOverride(evaluator: ExpressionEvaluator, node: ResourceOverrideExpression, scope: Scope): Value {
  const value = evaluator.evaluate(node.resources, scope);
  const parameters = node.operations.flatMap((operation) => evalOperation(evaluator, operation, scope));
  for (const reference of flattenTitles(value)) {
    if (!(reference instanceof ResourceType)) {
      failWith(ISSUES.ILLEGAL_OVERRIDDEN_TYPE({ actual: valueLabel(reference) }), node);
    }
    assertTitled(reference, scope);
    scope.context.catalog.overrideResource(scope, node, reference, parameters);
  }
  return value;
}

function assertTitled(reference: ResourceType, scope: Scope): void {
  if (reference.title !== null) return;
  const name = reference.lowerName ?? '';
  const { definitions } = scope.context;
  const found = definitions.findResourceType(name) ?? definitions.findDefine(name);
  throw new PuppetError(ISSUES.INVALID_RESOURCE_REFERENCE({ reference: found ? `:${name}` : 'nil' }));
}

export function evalCollect(evaluator: ExpressionEvaluator, node: CollectExpression, scope: Scope): Value {
  const { context } = scope;
  if (node.query.kind === 'ExportedQuery' && !context.settings.storeconfigs) {
    warn(context, ISSUES.RT_NO_STORECONFIGS(), node);
  }
  if (node.typeExpr.kind !== 'QualifiedReference') throw new PuppetError(ISSUES.COLLECTED_TYPE_NO_NAME());
  const typeName = node.typeExpr.value;
  if (typeName === 'class') throw new PuppetError(ISSUES.CLASSES_NOT_COLLECTABLE());
  const { definitions } = context;
  if (!definitions.findResourceType(typeName) && !definitions.findDefine(typeName)) {
    throw new PuppetError(ISSUES.UNKNOWN_COLLECTED_TYPE({ type: typeName }));
  }
  const parameters = node.operations.flatMap((operation) => evalOperation(evaluator, operation, scope));
  return context.catalog.collect(scope, node, typeName, parameters);
}
