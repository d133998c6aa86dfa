/** Nodes that are put together in more than one place, and what can be said of them. */
import { fallBack } from './fallback.ts';
import type { RubyNode, RubyTarget } from './ruby-ast.ts';

export function call(receiver: RubyNode, name: string, args: readonly RubyNode[]): RubyNode {
  return { kind: 'call', receiver, name, args, block: null, isSafe: false };
}

/** `if` */
export function branch(condition: RubyNode, consequence: RubyNode, alternative: RubyNode): RubyNode {
  return { kind: 'if', condition, consequence, alternative };
}

/** What an operator between two operands is. */
export function binary(operator: string, left: RubyNode, right: RubyNode): RubyNode {
  if (operator === '&&') return { kind: 'and', left, right };
  if (operator === '||') return { kind: 'or', left, right };
  if (operator === '..' || operator === '...')
    return { kind: 'range', from: left, to: right, excludesEnd: operator === '...' };
  if (operator === '!=') return { kind: 'not', value: call(left, '==', [right]) };
  if (operator.endsWith('~') && namesGroups(left)) fallBack('a pattern that sets variables');
  if (operator === '!~') return { kind: 'not', value: call(left, '=~', [right]) };
  return call(left, operator, [right]);
}

/** A pattern on the left side sets variables of the names of its groups. */
function namesGroups(node: RubyNode): boolean {
  return node.kind === 'regexp' && node.parts.some((part) => typeof part === 'string' && part.includes('(?<'));
}

/** What stands on the left side of an assignment; null for what can't. */
export function assignable(node: RubyNode): RubyTarget | null {
  if (node.kind === 'local' || node.kind === 'ivar') return node;
  if (node.kind !== 'call' || node.name !== '[]' || node.receiver === null || node.isSafe) return null;
  return { kind: 'index', receiver: node.receiver, args: node.args };
}

/** Whether a pattern or a range is a condition by itself. */
export function hasBareLiteral(node: RubyNode): boolean {
  if (node.kind === 'and' || node.kind === 'or') return hasBareLiteral(node.left) || hasBareLiteral(node.right);
  if (node.kind === 'not') return hasBareLiteral(node.value);
  if (node.kind === 'sequence') return node.body.length === 1 && node.body.some(hasBareLiteral);
  return node.kind === 'regexp' || node.kind === 'range';
}
