import { PuppetHash } from '../types/puppet-hash.ts';
import type { Value } from '../types/values.ts';
import { type HoconNode, type HoconObject, HoconReader } from './hocon-reader.ts';

/**
 * A HOCON text as data: objects merged, strings and lists put together, `${path}` resolved within the text. `include` finds
 * nothing, as the text has no folder. Throws Error for a text that is no HOCON or names a path that is not there.
 */
export function parseHocon(text: string): Value {
  const root = new HoconReader(text).readRoot();
  return new HoconResolver(root).resolveObject(root);
}

class HoconResolver {
  readonly #root: HoconObject;
  readonly #active = new Set<HoconNode>();

  constructor(root: HoconObject) {
    this.#root = root;
  }

  resolveObject(node: HoconObject): PuppetHash {
    const hash = new PuppetHash();
    for (const [key, member] of node.members) {
      const value = this.#resolve(member);
      if (value !== undefined) hash.set(key, value);
    }
    return hash;
  }

  /** undefined: an optional substitution that has nothing to offer. */
  #resolve(node: HoconNode): Value | undefined {
    switch (node.kind) {
      case 'value':
        return node.value;
      case 'object':
        return this.resolveObject(node);
      case 'list':
        return node.items.map((item) => this.#resolve(item)).filter((item) => item !== undefined);
      case 'substitution':
        return this.#substitute(node.path, node.optional, node);
      case 'concatenation':
        return this.#concatenate(node.parts);
      case 'merge':
        return this.#merge(node.below, node.above);
    }
  }

  #substitute(path: readonly string[], optional: boolean, node: HoconNode): Value | undefined {
    if (this.#active.has(node)) throw new Error(`Cyclic substitution: \${${path.join('.')}}`);
    this.#active.add(node);
    try {
      const target = this.#find(path);
      const value = target && this.#resolve(target);
      if (value !== undefined || optional) return value;
      throw new Error(`Could not resolve substitution to a value: \${${path.join('.')}}`);
    } finally {
      this.#active.delete(node);
    }
  }

  #find(path: readonly string[]): HoconNode | undefined {
    let node: HoconNode | undefined = this.#root;
    for (const key of path) {
      while (node?.kind === 'merge') node = node.above;
      node = node?.kind === 'object' ? node.members.get(key) : undefined;
    }
    return node;
  }

  #merge(below: HoconNode, above: HoconNode): Value | undefined {
    const upper = this.#resolve(above);
    if (!(upper instanceof PuppetHash)) return upper === undefined ? this.#resolve(below) : upper;
    const lower = this.#resolve(below);
    return lower instanceof PuppetHash ? mergeHashes(lower, upper) : upper;
  }

  #concatenate(parts: readonly HoconNode[]): Value | undefined {
    const values = parts.map((part) => this.#resolve(part)).filter((value) => value !== undefined);
    const solid = values.filter((value) => typeof value !== 'string' || value.trim() !== '');
    if (solid.length > 0 && solid.every((value) => value instanceof PuppetHash)) return solid.reduce(mergeHashes);
    if (solid.length > 0 && solid.every(isArray)) return solid.flat();
    if (solid.some((value) => value instanceof PuppetHash || isArray(value))) {
      throw new Error('Cannot concatenate object or list with a non-object-or-list');
    }
    if (values.length === 0) return undefined;
    return values.length === 1 ? values[0] : values.map((value) => (value === null ? 'null' : String(value))).join('');
  }
}

function isArray(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Keys of what was written later come first, as in the hocon gem. */
function mergeHashes(lower: PuppetHash, upper: PuppetHash): PuppetHash {
  const merged = PuppetHash.of(upper.entries());
  for (const [key, value] of lower.entries()) {
    const later = merged.get(key);
    if (later === undefined) merged.set(key, value);
    else if (later instanceof PuppetHash && value instanceof PuppetHash) merged.set(key, mergeHashes(value, later));
  }
  return merged;
}
