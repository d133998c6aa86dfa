import type { AnchorType, PatternNode } from './pattern.ts';

/** The anchor that every match of a node starts with; null when there is none. */
export function leadingAnchor(node: PatternNode): AnchorType | null {
  switch (node.kind) {
    case 'anchor':
      return node.type;
    case 'sequence': {
      const first = node.items.find((item) => item.kind !== 'sequence' || item.items.length > 0);
      return first === undefined ? null : leadingAnchor(first);
    }
    case 'capture':
      return leadingAnchor(node.body);
    case 'alternatives': {
      const [first = null, ...others] = node.items.map(leadingAnchor);
      return others.every((each) => each === first) ? first : null;
    }
    default:
      return null;
  }
}
