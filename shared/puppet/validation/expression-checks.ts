import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
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
import { nodeLabel } from '../language/labels.ts';
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

/** Checks one node, but not its children. */
export function checkNode(node: Node, place: Place) {
  const { report } = place;
  // The most frequent kinds come first: unoptimized code compares one kind after the other.
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
      return report(ISSUES.CLASS_NOT_VIRTUALIZABLE(), node);
    case 'AssignmentExpression':
      if (node.operator !== '=') {
        return report(ISSUES.APPENDS_DELETES_NO_LONGER_SUPPORTED({ operator: node.operator }), node);
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
      return report(ISSUES.NUMERIC_OVERFLOW({ semantic: nodeLabel(node), value: node.value }), node);
    case 'QualifiedReference':
      if (CLASS_REFERENCE.test(node.casedValue)) return;
      return report(ISSUES.ILLEGAL_CLASSREF({ name: node.casedValue }), node);
    case 'ReservedWord':
      return report(ISSUES.RESERVED_WORD({ word: node.word }), node);
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
      return report(
        ISSUES.ILLEGAL_EXPRESSION({
          semantic: nodeLabel(node.typeExpr),
          feature: 'type name',
          container: nodeLabel(node),
        }),
        node.typeExpr,
      );
    case 'ExportedQuery':
    case 'VirtualQuery':
      if (node.expr) checkQuery(node.expr, report);
      return;
    case 'AttributesOperation':
      return checkUnfoldedAttributes(node, place);
    case 'ResourceDefaultsExpression':
    case 'ResourceOverrideExpression':
      if (node.form !== 'regular') report(ISSUES.NOT_VIRTUALIZEABLE(), node);
      return;
    default:
      return checkDefinition(node, place);
  }
}

function checkValues(values: readonly Expression[], report: Report): void {
  for (const value of values) checkValue(value, report);
}

/** Checks a variable's name: a decimal number, or segments in lower case. */
function checkVariable(node: VariableExpression, report: Report) {
  if (node.expr.kind !== 'QualifiedName') {
    if (node.expr.kind === 'LiteralInteger') return;
    return report(
      ISSUES.ILLEGAL_EXPRESSION({
        semantic: nodeLabel(node),
        feature: 'name',
        container: nodeLabel(node),
      }),
      node,
    );
  }
  const name = node.expr.value;
  if (LOCAL_NAME.test(name)) return;
  if (/^[0-9]/.test(name)) {
    if (!/^(?:0|[1-9][0-9]*)$/.test(name)) report(ISSUES.ILLEGAL_NUMERIC_VAR_NAME({ name }), node);
  } else if (!/^(?:::)?(?:[a-z]\w*::)*[a-z_]\w*$/.test(name)) {
    report(ISSUES.ILLEGAL_VAR_NAME({ name }), node);
  }
}

function checkHash(node: LiteralHash, report: Report): void {
  const seen = new Set<string>();
  for (const entry of node.entries) {
    // Puppet: `name { * => … }` becomes a hash with a nil key, which its checker cannot handle.
    if (entry.key.kind === 'Nop') throw new PuppetError(ISSUES.EMPTY_HASH_KEY());
    const key = literalOf(entry.key);
    if (!key) continue;
    if (seen.has(key.inspected)) report(ISSUES.DUPLICATE_KEY({ key: key.text }), entry);
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

/** Reports all defaults but the first, since they are unreachable. */
function checkDefaults(values: readonly Expression[], container: Node, report: Report): void {
  for (const duplicate of values.filter(isDefault).slice(1)) {
    report(ISSUES.DUPLICATE_DEFAULT({ container: nodeLabel(container) }), duplicate);
  }
}

function checkBlock(node: Extract<Node, { statements: BlockExpression['statements'] }>, { tasks, report }: Place) {
  const [first] = node.statements;
  if (!tasks && isResourceWithoutTitle(node) && first?.kind === 'QualifiedName') {
    return report(ISSUES.RESOURCE_WITHOUT_TITLE({ name: first.value }), node);
  }
  const useless = node.statements.slice(0, -1).find(hasNoEffect);
  if (useless) report(ISSUES.IDEM_EXPRESSION_NOT_LAST({ expression: nodeLabel(useless) }), useless);
}

function checkCall(node: CallNamedFunctionExpression, report: Report) {
  const { functorExpr } = node;
  const called = functorExpr.kind === 'AccessExpression' ? functorExpr.leftExpr : functorExpr;
  if (called.kind === 'QualifiedReference' || functorExpr.kind === 'QualifiedName') return;
  if (functorExpr.kind === 'RenderStringExpression') return report(ISSUES.ILLEGAL_EPP_PARAMETERS(), node);
  report(
    ISSUES.ILLEGAL_EXPRESSION({
      semantic: nodeLabel(functorExpr),
      feature: 'function name',
      container: nodeLabel(node),
    }),
    functorExpr,
  );
}

/** Reports `+>` outside of overrides and collectors. */
function checkAttribute(node: AttributeOperation, { path, report }: Place): void {
  const container = path.at(-1);
  if (node.operator === '+>' && container && container.kind !== 'Program') {
    if (container.kind !== 'CollectExpression' && container.kind !== 'ResourceOverrideExpression') {
      report(ISSUES.ILLEGAL_ATTRIBUTE_APPEND({ name: node.attributeName, semantic: nodeLabel(container) }), node);
    }
  }
  checkValue(node.valueExpr, report);
}

function checkUnfoldedAttributes(node: AttributesOperation, { path, report }: Place): void {
  const parent = path.at(-1);
  const grandparent = path.at(-2);
  if (!isResource(parent) && parent?.kind !== 'CollectExpression' && !isResource(grandparent)) {
    const context = grandparent && grandparent.kind !== 'Program' ? grandparent : node;
    report(ISSUES.UNSUPPORTED_OPERATOR_IN_CONTEXT({ operator: '* =>', semantic: nodeLabel(context) }), context);
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
  for (const again of unfolded.slice(1)) report(ISSUES.MULTIPLE_ATTRIBUTES_UNFOLD(), again);
}
