/**
 * Checks that an expression is permitted in its role: value, assignment target, part of a query,
 * host name.
 */
import { ISSUES } from '../errors/issues/catalogue.ts';
import type { Expression, Node, NodeDefinition } from '../language/ast.ts';
import { nodeLabel } from '../language/labels.ts';
import type { Report } from './diagnostic.ts';

/** Reports an expression without a value where a value is required. */
export function checkValue(node: Node, report: Report) {
  switch (node.kind) {
    // The most frequent kinds come first.
    case 'LiteralString':
    case 'AccessExpression':
    case 'ConcatenatedString':
    case 'QualifiedName':
      return;
    case 'ParenthesizedExpression':
    case 'NotExpression':
    case 'UnaryMinusExpression':
    case 'UnfoldExpression':
    case 'TextExpression':
    case 'VariableExpression':
    case 'RenderExpression':
      return checkValue(node.expr, report);
    case 'CollectExpression':
    case 'FunctionDefinition':
    case 'PlanDefinition':
    case 'ResourceTypeDefinition':
    case 'HostClassDefinition':
    case 'TypeAlias':
    case 'TypeMapping':
    case 'TypeDefinition':
    case 'NodeDefinition':
      report(ISSUES.NOT_RVALUE({ semantic: nodeLabel(node) }), node);
  }
}

/** Reports an expression that cannot be a side of a relationship. */
export function checkRelationshipSide(node: Expression, report: Report): void {
  if (node.kind !== 'CollectExpression') checkValue(node, report);
}

/** Reports an expression that cannot be assigned to. */
export function checkAssignable(node: Expression, report: Report): void {
  switch (node.kind) {
    case 'VariableExpression': {
      const name = node.expr.kind === 'QualifiedName' ? node.expr.value : '';
      if (/^(?:0|[1-9][0-9]*)$/.test(name)) report(ISSUES.ILLEGAL_NUMERIC_ASSIGNMENT({ name }), node);
      if (name.includes('::')) report(ISSUES.CROSS_SCOPE_ASSIGNMENT({ name }), node);
      break;
    }
    case 'AccessExpression':
      report(ISSUES.ILLEGAL_INDEXED_ASSIGNMENT(), node);
      break;
    case 'LiteralList':
      for (const value of node.values) checkAssignable(value, report);
      break;
    default:
      report(ISSUES.ILLEGAL_ASSIGNMENT({ semantic: nodeLabel(node) }), node);
  }
}

/** Reports an expression that a query (`<| … |>`) cannot contain. */
export function checkQuery(node: Expression, report: Report): void {
  switch (node.kind) {
    case 'ComparisonExpression':
      if (node.operator !== '==' && node.operator !== '!=') {
        report(ISSUES.ILLEGAL_QUERY_EXPRESSION({ semantic: nodeLabel(node) }), node);
      }
      break;
    case 'AndExpression':
    case 'OrExpression':
      checkQuery(node.leftExpr, report);
      checkQuery(node.rightExpr, report);
      break;
    case 'ParenthesizedExpression':
      checkQuery(node.expr, report);
      break;
    case 'VariableExpression':
    case 'QualifiedName':
    case 'LiteralInteger':
    case 'LiteralFloat':
    case 'LiteralString':
    case 'LiteralBoolean':
    case 'RenderStringExpression':
      break;
    default:
      report(ISSUES.ILLEGAL_QUERY_EXPRESSION({ semantic: nodeLabel(node) }), node);
  }
}

/** Reports an expression that cannot name or match the host of a node definition. */
export function checkHostname(node: Expression, definition: NodeDefinition, report: Report): void {
  switch (node.kind) {
    case 'LiteralString':
    case 'QualifiedName':
    case 'QualifiedReference':
      if (/[^-\w.]/.test(node.value)) report(ISSUES.ILLEGAL_HOSTNAME_CHARS({ hostname: node.value }), node);
      break;
    case 'ConcatenatedString': {
      const interpolated = node.segments.find((segment) => segment.kind === 'TextExpression');
      report(ISSUES.ILLEGAL_HOSTNAME_INTERPOLATION(), interpolated ? interpolated.expr : node);
      break;
    }
    case 'LiteralInteger':
    case 'LiteralFloat':
    case 'LiteralDefault':
    case 'LiteralRegularExpression':
      break;
    default:
      report(
        ISSUES.ILLEGAL_EXPRESSION({
          semantic: nodeLabel(node),
          feature: 'hostname',
          container: nodeLabel(definition),
        }),
        node,
      );
  }
}
