import { PuppetError } from '../errors/puppet-error.ts';
import {
  appendsDeletesNoLongerSupported,
  classNotVirtualizable,
  duplicateDefault,
  duplicateKey,
  idemExpressionNotLast,
  illegalAttributeAppend,
  illegalClassref,
  illegalEppParameters,
  illegalExpression,
  illegalNumericVarName,
  illegalVarName,
  literalIntegerOverflow,
  multipleAttributesUnfold,
  notVirtualizable,
  reservedWord,
  resourceWithoutTitle,
  unsupportedOperatorInContext,
} from '../errors/validation-issues.ts';
import type {
  AttributeOperation,
  AttributesOperation,
  BlockExpression,
  CallNamedFunctionExpression,
  CaseExpression,
  Expression,
  LiteralHash,
  Node,
  Program,
  ResourceBody,
  SelectorExpression,
  VariableExpression,
} from '../language/ast.ts';
import { aLabel, aLabelCapitalized, nodeLabel } from '../language/labels.ts';
import { checkDefinition, type DefinitionPlace } from './definition-checks.ts';
import type { Report } from './diagnostic.ts';
import { hasNoEffect, isResourceWithoutTitle } from './idempotence.ts';
import { literalOf } from './literal.ts';
import { checkAssignable, checkQuery, checkRelationshipSide, checkValue } from './roles.ts';

interface Place extends DefinitionPlace {
  readonly tasks: boolean;
}

const MAX_INTEGER = 0x7fffffffffffffffn;

const CLASS_REFERENCE = /^((::)?[A-Z]\w*)+$/;
const LOCAL_NAME = /^[a-z_]\w*$/;

/** Checks of one node, without what is below it. */
export function checkNode(node: Node, place: Place) {
  const { report } = place;
  // What is most frequent stands first: code that is not optimised yet compares one kind after the
  // other.
  switch (node.kind) {
    case 'VariableExpression':
      return checkVariable(node, report);
    case 'AttributeOperation':
      return checkAttribute(node, place);
    case 'AccessExpression':
    case 'ConcatenatedString':
      return;
    case 'TextExpression':
    case 'ParenthesizedExpression':
    case 'NotExpression':
    case 'UnaryMinusExpression':
    case 'UnfoldExpression':
    case 'RenderExpression':
      return checkValue(node.expr, report);
    case 'ResourceBody':
      return checkResourceBody(node, report);
    case 'ResourceExpression':
      if (node.form === 'regular' || node.typeName.kind !== 'QualifiedName' || node.typeName.value !== 'class') return;
      return report(classNotVirtualizable, node, {});
    case 'AssignmentExpression':
      if (node.operator !== '=') {
        return report(appendsDeletesNoLongerSupported, node, { operator: node.operator });
      }
      checkAssignable(node.leftExpr, report);
      return checkValue(node.rightExpr, report);
    case 'ArithmeticExpression':
    case 'ComparisonExpression':
    case 'MatchExpression':
    case 'InExpression':
    case 'AndExpression':
    case 'OrExpression':
      checkValue(node.leftExpr, report);
      return checkValue(node.rightExpr, report);
    case 'RelationshipExpression':
      checkRelationshipSide(node.leftExpr, report);
      return checkRelationshipSide(node.rightExpr, report);
    case 'LiteralList':
      return checkValues(node.values, report);
    case 'KeyedEntry':
      checkValue(node.key, report);
      return checkValue(node.value, report);
    case 'LiteralHash':
      return checkHash(node, report);
    case 'LiteralInteger':
      if (node.value <= MAX_INTEGER) return;
      return report(literalIntegerOverflow, node, { A: aLabelCapitalized(node), value: node.value });
    case 'QualifiedReference':
      if (CLASS_REFERENCE.test(node.casedValue)) return;
      return report(illegalClassref, node, { name: node.casedValue });
    case 'ReservedWord':
      return report(reservedWord, node, { word: node.word });
    default:
      return checkStatement(node, place);
  }
}

function checkStatement(node: Node, place: Place) {
  const { report } = place;
  switch (node.kind) {
    case 'IfExpression':
    case 'UnlessExpression':
      return checkValue(node.test, report);
    case 'CaseExpression':
      return checkCase(node, report);
    case 'CaseOption':
      return checkValues(node.values, report);
    case 'SelectorExpression':
      return checkSelector(node, report);
    case 'SelectorEntry':
      return checkValue(node.matchingExpr, report);
    case 'BlockExpression':
    case 'ApplyBlockExpression':
      return checkBlock(node, place);
    case 'CallNamedFunctionExpression':
      return checkCall(node, report);
    case 'CollectExpression':
      if (node.typeExpr.kind === 'QualifiedReference') return;
      return report(illegalExpression, node.typeExpr, {
        A: aLabelCapitalized(node.typeExpr),
        feature: 'type name',
        container: aLabel(node),
      });
    case 'ExportedQuery':
    case 'VirtualQuery':
      if (node.expr) checkQuery(node.expr, report);
      return;
    case 'AttributesOperation':
      return checkUnfoldedAttributes(node, place);
    case 'ResourceDefaultsExpression':
    case 'ResourceOverrideExpression':
      if (node.form !== 'regular') report(notVirtualizable, node, {});
      return;
    default:
      return checkDefinition(node, place);
  }
}

function checkValues(values: readonly Expression[], report: Report): void {
  for (const value of values) checkValue(value, report);
}

/** A variable's name is a decimal number or has lower-case segments. */
function checkVariable(node: VariableExpression, report: Report) {
  if (node.expr.kind !== 'QualifiedName') {
    if (node.expr.kind === 'LiteralInteger') return;
    return report(illegalExpression, node, {
      A: aLabelCapitalized(node),
      feature: 'name',
      container: aLabel(node),
    });
  }
  const name = node.expr.value;
  if (LOCAL_NAME.test(name)) return;
  if (/^[0-9]/.test(name)) {
    if (!/^(?:0|[1-9][0-9]*)$/.test(name)) report(illegalNumericVarName, node, { name });
  } else if (!/^(?:::)?(?:[a-z]\w*::)*[a-z_]\w*$/.test(name)) {
    report(illegalVarName, node, { name });
  }
}

const NO_TREATMENT =
  "Visitor Error: the configured receiver (Puppet::Pops::Validation::Checker4_0) can't handle instance of: NilClass";

function checkHash(node: LiteralHash, report: Report): void {
  const seen = new Set<string>();
  for (const entry of node.entries) {
    // Puppet: `name { * => … }` becomes a hash with nothing for its key, which its checker can't
    // handle.
    if (entry.key.kind === 'Nop') throw new PuppetError(NO_TREATMENT);
    const key = literalOf(entry.key);
    if (!key) continue;
    if (seen.has(key.inspected)) report(duplicateKey, entry, { key: key.text });
    seen.add(key.inspected);
  }
}

function checkCase(node: CaseExpression, report: Report): void {
  checkValue(node.test, report);
  checkDefaults(
    node.options.flatMap(({ values }) => values),
    node,
    report,
  );
}

function checkSelector(node: SelectorExpression, report: Report): void {
  checkValue(node.leftExpr, report);
  const defaults = node.selectors.map(({ matchingExpr }) => matchingExpr).filter(isDefault);
  checkDefaults(defaults.slice(0, 2), node, report);
}

function isDefault(expr: Expression): boolean {
  return expr.kind === 'LiteralDefault';
}

/** Every default but the first is never reached. */
function checkDefaults(values: readonly Expression[], container: Node, report: Report): void {
  for (const duplicate of values.filter(isDefault).slice(1)) {
    report(duplicateDefault, duplicate, { container: nodeLabel(container) });
  }
}

function checkBlock(node: Extract<Node, { statements: BlockExpression['statements'] }>, { tasks, report }: Place) {
  const [first] = node.statements;
  if (!tasks && isResourceWithoutTitle(node) && first?.kind === 'QualifiedName') {
    return report(resourceWithoutTitle, node, { name: first.value });
  }
  const useless = node.statements.slice(0, -1).find(hasNoEffect);
  if (useless) report(idemExpressionNotLast, useless, { expression: nodeLabel(useless) });
}

function checkCall(node: CallNamedFunctionExpression, report: Report) {
  const { functorExpr } = node;
  const called = functorExpr.kind === 'AccessExpression' ? functorExpr.leftExpr : functorExpr;
  if (called.kind === 'QualifiedReference' || functorExpr.kind === 'QualifiedName') return;
  if (functorExpr.kind === 'RenderStringExpression') return report(illegalEppParameters, node, {});
  report(illegalExpression, functorExpr, {
    A: aLabelCapitalized(functorExpr),
    feature: 'function name',
    container: aLabel(node),
  });
}

/** `+>` is for overrides and collectors. */
function checkAttribute(node: AttributeOperation, { path, report }: Place): void {
  const container = path.at(-1);
  if (node.operator === '+>' && container && container.kind !== 'Program') {
    if (container.kind !== 'CollectExpression' && container.kind !== 'ResourceOverrideExpression') {
      report(illegalAttributeAppend, node, { name: node.attributeName, a: aLabel(container) });
    }
  }
  checkValue(node.valueExpr, report);
}

function checkUnfoldedAttributes(node: AttributesOperation, { path, report }: Place): void {
  const parent = path.at(-1);
  const grandparent = path.at(-2);
  if (!isResource(parent) && parent?.kind !== 'CollectExpression' && !isResource(grandparent)) {
    const context = grandparent && grandparent.kind !== 'Program' ? grandparent : node;
    report(unsupportedOperatorInContext, context, { operator: '* =>', a: aLabel(context) });
  }
  checkValue(node.expr, report);
}

function isResource(node: Node | Program | undefined): boolean {
  return (
    node?.kind === 'ResourceExpression' ||
    node?.kind === 'ResourceDefaultsExpression' ||
    node?.kind === 'ResourceOverrideExpression'
  );
}

function checkResourceBody({ operations }: ResourceBody, report: Report): void {
  const unfolded = operations.filter(({ kind }) => kind === 'AttributesOperation');
  for (const again of unfolded.slice(1)) report(multipleAttributesUnfold, again, {});
}
