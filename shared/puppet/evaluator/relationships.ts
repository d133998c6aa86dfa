/**
 * Evaluates `->`, `~>` and their reverses. Puppet:
 * lib/puppet/pops/evaluator/relationship_operator.rb
 */

import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { RelationshipExpression } from '../language/ast.ts';
import { CATALOG_ENTRY, ClassType, ResourceType } from '../types/catalog-types.ts';
import { PType } from '../types/ptype.ts';
import { parseType } from '../types/type-parser.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { RichValue, type Value } from '../types/values/values.ts';
import { TypeType } from '../types/wrapper-types.ts';
import { valueLabel } from './labels.ts';
import type { ExpressionEvaluator } from './ports.ts';
import { failWith } from './report.ts';
import { flattenTitles } from './resources.ts';
import type { Scope } from './scope.ts';
import { typeResolver } from './type-references.ts';

const TYPE_OF_CATALOG_ENTRY = new TypeType(CATALOG_ENTRY);

/**
 * Relates every left operand with every right operand. Returns the right side, or the left side
 * when the right is empty.
 */
export function evalRelationship(evaluator: ExpressionEvaluator, node: RelationshipExpression, scope: Scope): Value {
  const leftValue = evaluator.evaluate(node.leftExpr, scope);
  const rightValue = evaluator.evaluate(node.rightExpr, scope);
  const left = flattenOperands(leftValue, node, scope);
  const right = flattenOperands(rightValue, node, scope);
  const kind = node.operator === '->' || node.operator === '<-' ? 'before' : 'notify';
  const reversed = node.operator === '<-' || node.operator === '<~';
  const [sources, targets] = reversed ? [right, left] : [left, right];
  const isRelated = sources.length > 0 && targets.length > 0;
  const nameOperand = (type: Value) => (isRelated ? entryNamed(type) : type);
  scope.context.catalog.relate(scope, node, sources.map(nameOperand), targets.map(nameOperand), kind);
  return right.length === 0 ? left : right;
}

function flattenOperands(value: Value, node: RelationshipExpression, scope: Scope): readonly Value[] {
  if (!Array.isArray(value)) return [toOperand(value, node, scope)];
  const unique = new PuppetHash();
  for (const each of flattenTitles(value)) unique.set(toOperand(each, node, scope), true);
  return [...unique.keys()];
}

function toOperand(value: Value, node: RelationshipExpression, scope: Scope): Value {
  const type = typeof value === 'string' ? parseType(value, typeResolver(scope)) : value;
  if (type instanceof PType) {
    if (CATALOG_ENTRY.isAssignable(type) || TYPE_OF_CATALOG_ENTRY.isAssignable(type)) return type;
    failWith(ISSUES.NOT_CATALOG_TYPE({ type: String(type) }), node);
  }
  if (isCollector(type)) return type;
  failWith(ISSUES.ILLEGAL_RELATIONSHIP_OPERAND_TYPE({ operand: valueLabel(type) }), node);
}

/**
 * Returns the catalog entry that a type names; `Type[File['/x']]` equals `File['/x']`. Puppet:
 * Runtime3Converter#catalog_type_to_split_type_title
 */
function entryNamed(type: Value): Value {
  if (!(type instanceof PType)) return type;
  const entry = type instanceof TypeType && type.type ? type.type : type;
  if (entry instanceof ResourceType) return entry;
  if (entry instanceof ClassType) {
    if (entry.className !== null) return entry;
    throw new PuppetError(ISSUES.INVALID_RESOURCE_REFERENCE({ reference: '"class"' }));
  }
  const kind = `Puppet::Pops::Types::P${type.kind}Type`;
  throw new PuppetError(ISSUES.TYPE_NOT_SPLITTABLE({ type: kind }));
}

/** Whether the value was returned by `CatalogOperations.collect`. */
function isCollector(value: Value): boolean {
  return value instanceof RichValue && value.equalityKey().startsWith('collector:');
}
