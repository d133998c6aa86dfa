import { ISSUES } from '../errors/issues/catalogue.ts';
import type { Node, Program } from '../language/ast.ts';
import { nodeLabel } from '../language/labels.ts';
import type { Report } from './diagnostic.ts';

/**
 * With the setting `tasks`, reports catalog expressions outside of `apply`, and expressions that
 * `apply` cannot contain. Returns true when the node needs no further checks.
 */
export function checkForTasks(node: Node, path: readonly (Node | Program)[], report: Report): boolean {
  switch (node.kind) {
    case 'HostClassDefinition':
    case 'ResourceTypeDefinition':
      report(ISSUES.EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING({ semantic: nodeLabel(node) }), node);
      return true;
    case 'CollectExpression':
      if (!isInApply(path)) break;
      if (node.query.kind === 'VirtualQuery') return false;
      report(ISSUES.EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING({ semantic: nodeLabel(node) }), node);
      return true;
    case 'NodeDefinition':
    case 'RelationshipExpression':
    case 'ResourceDefaultsExpression':
    case 'ResourceExpression':
    case 'ResourceOverrideExpression':
      if (isInApply(path)) return false;
      break;
    case 'ApplyExpression':
      if (isInApply(path)) report(ISSUES.EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING({ semantic: nodeLabel(node) }), node);
      return true;
    default:
      return false;
  }
  report(ISSUES.EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING({ semantic: nodeLabel(node) }), node);
  return true;
}

function isInApply(path: readonly (Node | Program)[]): boolean {
  return path.some(({ kind }) => kind === 'ApplyBlockExpression');
}
