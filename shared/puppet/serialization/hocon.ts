import { PuppetHash } from '../types/values/puppet-hash.ts';
import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';
import { type HoconNode, type HoconObject, HoconReader, type HoconSubstitution } from './hocon-reader.ts';

/**
 * Parses a HOCON text to data: merges objects, concatenates strings and lists, and resolves
 * `${path}` within the text. `include` includes nothing, because the text has no folder. Throws
 * Error when the text is malformed or a substitution's path does not exist.
 */
export function parseHocon(text: string): Value {
  const root = new HoconReader(text).readRoot();
  return new HoconResolver(root).resolveObject(root);
}

class HoconResolver {
  readonly #root: HoconObject;
  readonly #active = new Set<HoconNode>();
  /** Substitutions that are being resolved, outermost first. */
  readonly #substitutions: HoconSubstitution[] = [];

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

  /** Resolves a node; undefined for an optional substitution whose path does not exist. */
  #resolve(node: HoconNode): Value | undefined {
    this.#active.add(node);
    try {
      return this.#resolveActive(node);
    } finally {
      this.#active.delete(node);
    }
  }

  #resolveActive(node: HoconNode): Value | undefined {
    switch (node.kind) {
      case 'value':
        return node.value;
      case 'object':
        return this.resolveObject(node);
      case 'list':
        return node.items.map((item) => this.#resolve(item)).filter((item) => item !== undefined);
      case 'substitution':
        return this.#substitute(node);
      case 'concatenation':
        return this.#concatenate(node.parts);
      case 'merge':
        return this.#merge(node.below, node.above);
    }
  }

  #substitute(node: HoconSubstitution): Value | undefined {
    const target = this.#findBelowActive(this.#find(node.path));
    if (target && this.#active.has(target)) {
      if (node.optional) return undefined;
      const cycle = [...this.#substitutions, node, target].filter((one) => one.kind === 'substitution');
      throw unresolvedError(node, ` was part of a cycle of substitutions involving ${cycle.map(textOf).join(', ')}`);
    }
    this.#substitutions.push(node);
    const value = target && this.#resolve(target);
    this.#substitutions.pop();
    if (value === undefined && !node.optional) throw unresolvedError(node, '');
    return value;
  }

  /** A field that refers to itself refers to its previous value. */
  #findBelowActive(target: HoconNode | undefined): HoconNode | undefined {
    let node = target;
    while (node?.kind === 'merge' && this.#active.has(node)) node = node.below;
    return node;
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

function textOf({ optional, path }: HoconSubstitution): string {
  return `\${${optional ? '?' : ''}${path.join('.')}}`;
}

function unresolvedError(node: HoconSubstitution, reason: string): Error {
  return new Error(`String: ${node.line}: Could not resolve substitution to a value: ${textOf(node)}${reason}`);
}

/** Keys of the later object come first, as in the hocon gem. */
function mergeHashes(lower: PuppetHash, upper: PuppetHash): PuppetHash {
  const merged = PuppetHash.of(upper.entries());
  for (const [key, value] of lower.entries()) {
    const later = merged.get(key);
    if (later === undefined) merged.set(key, value);
    else if (later instanceof PuppetHash && value instanceof PuppetHash) merged.set(key, mergeHashes(value, later));
  }
  return merged;
}
