import { partsOf } from './look-behind.ts';
import { PatternError, type PatternNode } from './pattern.ts';

/**
 * Calls of the group by a node: never or avoidably (`none`), on every path (`certain`), or before
 * it consumed a character (`endless`).
 */
type Recursion = 'none' | 'certain' | 'endless';

/**
 * Throws PatternError when a group calls itself unconditionally. Follows Onigmo's
 * subexp_inf_recursive_check.
 */
export function checkRecursion(root: PatternNode): void {
  const groups = new Map<number, PatternNode>([[0, root]]);
  collectGroups(root, groups);
  for (const [index, body] of groups) {
    if (new RecursionCheck(groups, index).analyse(body, true) !== 'none')
      throw new PatternError('never ending recursion');
  }
}

function collectGroups(node: PatternNode, into: Map<number, PatternNode>): void {
  if (node.kind === 'capture') into.set(node.index, node.body);
  for (const part of partsOf(node)) collectGroups(part, into);
}

class RecursionCheck {
  readonly #groups: ReadonlyMap<number, PatternNode>;
  readonly #wanted: number;
  readonly #open = new Set<number>();

  constructor(groups: ReadonlyMap<number, PatternNode>, wanted: number) {
    this.#groups = groups;
    this.#wanted = wanted;
  }

  /** `isHead`: whether nothing was consumed before the node. */
  analyse(node: PatternNode, isHead: boolean): Recursion {
    switch (node.kind) {
      case 'sequence':
        return this.#ofSequence(node.items, isHead);
      case 'alternatives':
        return this.#ofAlternatives(node.items, isHead);
      case 'conditional':
        return this.#ofAlternatives([node.yes, node.no], isHead);
      case 'repeat': {
        const found = this.analyse(node.body, isHead);
        return found === 'certain' && node.min === 0 ? 'none' : found;
      }
      case 'call':
        return this.#ofGroup(node.group, this.#groups.get(node.group), isHead);
      case 'capture':
        return this.#ofGroup(node.index, node.body, isHead);
      case 'atomic':
      case 'ahead':
      case 'behind':
      case 'absent':
        return this.analyse(node.body, isHead);
      default:
        return 'none';
    }
  }

  #ofSequence(items: readonly PatternNode[], isHead: boolean): Recursion {
    let found: Recursion = 'none';
    let head = isHead;
    for (const item of items) {
      const each = this.analyse(item, head);
      if (each === 'endless') return each;
      if (each === 'certain') found = each;
      if (head && leastLength(item) > 0) head = false;
    }
    return found;
  }

  #ofAlternatives(items: readonly PatternNode[], isHead: boolean): Recursion {
    const found = items.map((item) => this.analyse(item, isHead));
    if (found.includes('endless')) return 'endless';
    return found.every((each) => each === 'certain') ? 'certain' : 'none';
  }

  #ofGroup(index: number, body: PatternNode | undefined, isHead: boolean): Recursion {
    if (index === this.#wanted) return isHead ? 'endless' : 'certain';
    if (body === undefined || this.#open.has(index)) return 'none';
    this.#open.add(index);
    const found = this.analyse(body, isHead);
    this.#open.delete(index);
    return found;
  }
}

/** The least number of characters that a node consumes. */
export function leastLength(node: PatternNode): number {
  switch (node.kind) {
    case 'literal':
    case 'set':
    case 'grapheme':
      return 1;
    case 'sequence':
      return node.items.reduce((sum, item) => sum + leastLength(item), 0);
    case 'alternatives':
      return Math.min(...node.items.map(leastLength));
    case 'repeat':
      return node.min * leastLength(node.body);
    case 'capture':
    case 'atomic':
      return leastLength(node.body);
    default:
      return 0;
  }
}
