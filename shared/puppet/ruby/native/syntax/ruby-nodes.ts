/** Creates nodes that several parsers share, and answers questions about nodes. */
import { fallBack } from '../fallback.ts';
import type { ResultUse } from '../runtime.ts';
import type { RubyNode, RubyTarget } from './ruby-ast.ts';

/** Names by which files read where they are. They stand as constants that have no value here. */
export const LOAD_PATH = '$LOAD_PATH';
export const FILE_PATH = '__FILE__';

export function createCall(receiver: RubyNode, name: string, args: readonly RubyNode[]): RubyNode {
  return { kind: 'call', receiver, name, args, block: null, isSafe: false };
}

/** Creates an `if`. */
export function createBranch(condition: RubyNode, consequence: RubyNode, alternative: RubyNode): RubyNode {
  return { kind: 'if', condition, consequence, alternative };
}

/** Creates the node of a binary operator. */
export function createBinary(operator: string, left: RubyNode, right: RubyNode): RubyNode {
  if (operator === '&&') return { kind: 'and', left, right };
  if (operator === '||') return { kind: 'or', left, right };
  if (operator === '..' || operator === '...')
    return { kind: 'range', from: left, to: right, excludesEnd: operator === '...' };
  if (operator === '!=') return { kind: 'not', value: createCall(left, '==', [right]) };
  if (operator.endsWith('~') && namesGroups(left)) fallBack('a pattern that sets variables');
  if (operator === '!~') return { kind: 'not', value: createCall(left, '=~', [right]) };
  return createCall(left, operator, [right]);
}

/** Whether the left operand is a pattern whose named groups set variables. */
function namesGroups(node: RubyNode): boolean {
  return node.kind === 'regexp' && node.parts.some((part) => typeof part === 'string' && part.includes('(?<'));
}

/** Methods without side effects whose result depends only on their operands. */
const ANSWERING: ReadonlySet<string> = new Set('freeze + - * / ** << >> | & -@ to_s to_i to_f to_sym'.split(' '));

/**
 * Whether an expression has the same value at every evaluation, so that it may define a constant.
 */
export function isConstantExpression(node: RubyNode): boolean {
  if (node.kind === 'call') {
    const isPlain = node.receiver !== null && node.block === null && ANSWERING.has(node.name);
    return isPlain && [node.receiver, ...node.args].every(isConstantExpression);
  }
  if (node.kind === 'array') return node.items.every(isConstantExpression);
  if (node.kind === 'hash') return node.pairs.flat().every(isConstantExpression);
  if (node.kind === 'sequence') return node.body.every(isConstantExpression);
  if (node.kind === 'range') return isConstantExpression(node.from) && isConstantExpression(node.to);
  if (node.kind === 'string' || node.kind === 'regexp')
    return node.parts.every((part) => typeof part === 'string' || isConstantExpression(part));
  return ['nil', 'true', 'false', 'integer', 'float', 'symbol', 'constant'].includes(node.kind);
}

/** Removes `freeze` from a constant's expression: constants are frozen on assignment. */
export function withoutFreeze(node: RubyNode): RubyNode {
  if (node.kind === 'call' && node.name === 'freeze' && node.receiver && node.args.length === 0)
    return withoutFreeze(node.receiver);
  if (node.kind === 'array') return { ...node, items: node.items.map(withoutFreeze) };
  if (node.kind !== 'hash') return node;
  return { ...node, pairs: node.pairs.map(([key, value]) => [withoutFreeze(key), withoutFreeze(value)] as const) };
}

/** Returns a text without interpolation. Throws Fallback for everything else. */
export function textOfString(node: RubyNode | undefined): string {
  if (node?.kind !== 'string') return fallBack('what is no text');
  return node.parts.map((part) => (typeof part === 'string' ? part : fallBack('a text that is put together'))).join('');
}

/** Returns the node and all nodes in it: also targets of assignments, and what blocks contain. */
export function nodesWithin(node: RubyNode): readonly RubyNode[] {
  return [node, ...childrenOf(node).flatMap(nodesWithin)];
}

/** Returns the nodes directly in a node. */
export function childrenOf(node: RubyNode): readonly RubyNode[] {
  const found: RubyNode[] = [];
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(visit);
    else if (typeof part === 'object' && part !== null) {
      if (isNode(part)) found.push(part);
      else Object.values(part).forEach(visit);
    }
  };
  Object.values(node).forEach(visit);
  return found;
}

function isNode(part: object): part is RubyNode {
  return 'kind' in part && !['block', 'symbolBlock', 'slot', 'nested', 'index'].includes(String(part.kind));
}

/** Whether the node is `next`, `break` or `return`. */
export function isJump(node: RubyNode): boolean {
  return node.kind === 'next' || node.kind === 'break' || node.kind === 'return';
}

/** Converts the left side of an assignment; null when it is not assignable. */
export function toTarget(node: RubyNode): RubyTarget | null {
  if (node.kind === 'local' || node.kind === 'ivar') return node;
  if (node.kind !== 'call' || node.name !== '[]' || node.receiver === null || node.isSafe) return null;
  if (node.args.some(({ kind }) => kind === 'splat')) return null;
  return { kind: 'index', receiver: node.receiver, args: node.args };
}

/** Whether a condition is a bare pattern or range. */
export function hasBareLiteral(node: RubyNode): boolean {
  if (node.kind === 'and' || node.kind === 'or') return hasBareLiteral(node.left) || hasBareLiteral(node.right);
  if (node.kind === 'not') return hasBareLiteral(node.value);
  if (node.kind === 'sequence') return node.body.length === 1 && node.body.some(hasBareLiteral);
  return node.kind === 'regexp' || node.kind === 'range';
}

/** An item of an argument list: a node, or a pair of a hash without braces. */
export type RubyItem = RubyNode | readonly [key: RubyNode, value: RubyNode];

/** Returns the items, with the pairs at their end as one hash. */
export function bareHash(items: readonly RubyItem[]): readonly RubyNode[] {
  const nodes: RubyNode[] = [];
  const pairs: (readonly [RubyNode, RubyNode])[] = [];
  for (const item of items) {
    if ('kind' in item) nodes.push(pairs.length > 0 ? fallBack('an argument behind a hash without braces') : item);
    else pairs.push(item);
  }
  return pairs.length > 0 ? [...nodes, { kind: 'hash', pairs, isBare: true }] : nodes;
}

/** The use of call results in a method's body. Calls that are not listed are `needed`. */
export type ResultUses = ReadonlyMap<RubyNode, Exclude<ResultUse, 'needed'>>;

export function usesOfResults(body: RubyNode): ResultUses {
  const uses = new Map<RubyNode, Exclude<ResultUse, 'needed'>>();
  addUses(body, 'last', uses);
  return uses;
}

/** Methods that ignore the results of their block. */
export const WALKING: ReadonlySet<string> = new Set([
  'each',
  'each_pair',
  'each_key',
  'each_value',
  'each_with_index',
  'times',
]);

function addUses(
  node: RubyNode | null,
  use: Exclude<ResultUse, 'needed'>,
  uses: Map<RubyNode, Exclude<ResultUse, 'needed'>>,
): void {
  const add = (one: RubyNode | null, its = use): void => addUses(one, its, uses);
  switch (node?.kind) {
    case 'call':
      uses.set(node, use);
      if (node.receiver && WALKING.has(node.name) && node.block?.kind === 'block') add(node.block.body, 'discarded');
      break;
    case 'while':
      add(node.body, 'discarded');
      break;
    case 'return':
      add(node.value, 'last');
      break;
    case 'sequence':
      for (const one of node.body.slice(0, -1)) add(one, 'discarded');
      add(node.body.at(-1) ?? null);
      break;
    case 'if':
      add(node.consequence);
      add(node.alternative);
      break;
    case 'case':
      for (const branch of node.branches) add(branch.body);
      add(node.alternative);
  }
}
