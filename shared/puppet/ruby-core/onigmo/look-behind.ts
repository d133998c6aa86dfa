import { EMPTY, ENDLESS, PatternError, type PatternNode } from './pattern.ts';

/**
 * Checks look-behinds and back references. Throws PatternError at the first look-behind of unknown
 * length or reference to a missing group.
 */
export function checkBackwards(node: PatternNode, groupCount: number): void {
  if (node.kind === 'behind') lookBehindBranches(node.body, node.negative);
  if ('groups' in node && node.groups.some((group) => group < 1 || group > groupCount)) {
    throw new PatternError('invalid backref number/name');
  }
  for (const part of partsOf(node)) checkBackwards(part, groupCount);
}

export function partsOf(node: PatternNode): readonly PatternNode[] {
  switch (node.kind) {
    case 'sequence':
    case 'alternatives':
      return node.items;
    case 'conditional':
      return [node.yes, node.no];
    case 'repeat':
    case 'capture':
    case 'atomic':
    case 'ahead':
    case 'behind':
    case 'absent':
      return [node.body];
    default:
      return [];
  }
}

function invalidLookBehindError(): PatternError {
  return new PatternError('invalid pattern in look-behind');
}

/**
 * The alternatives of a look-behind, each with its length in characters, which is the distance by
 * which it starts before the current position. Only top-level alternatives may differ in length.
 */
export function lookBehindBranches(
  body: PatternNode,
  negative: boolean,
): readonly { readonly length: number; readonly body: PatternNode }[] {
  let top = body;
  while (top.kind === 'sequence' && top.items.length === 1) top = top.items[0] ?? EMPTY;
  const alternatives = top.kind === 'alternatives' ? top.items : [top];
  return alternatives.map((item) => ({ length: measureFixedLength(item, negative), body: item }));
}

function measureFixedLength(node: PatternNode, negative: boolean): number {
  switch (node.kind) {
    case 'literal':
    case 'set':
      return 1;
    case 'sequence':
      return node.items.reduce((sum, item) => sum + measureFixedLength(item, negative), 0);
    case 'alternatives': {
      const [first = 0, ...others] = node.items.map((item) => measureFixedLength(item, negative));
      if (others.some((each) => each !== first)) throw invalidLookBehindError();
      return first;
    }
    case 'repeat':
      if (node.min !== node.max || node.max === ENDLESS || node.mode === 'possessive') throw invalidLookBehindError();
      return node.min * measureFixedLength(node.body, negative);
    case 'capture':
      if (negative) throw invalidLookBehindError();
      return measureFixedLength(node.body, negative);
    case 'behind':
      return 0;
    case 'anchor':
      if (node.type === 'textEnd' || node.type === 'textEndBeforeNewline') throw invalidLookBehindError();
      return 0;
    default:
      throw invalidLookBehindError();
  }
}
