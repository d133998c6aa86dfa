import type { Value } from '../types/values/values.ts';
import { listedNodeVariable, nodeVariables } from './node-variables.ts';
import type { NodeInput } from './ports.ts';
import type { ScopeFrame } from './scope-frame.ts';

/**
 * What a scope looks through: its own tables from the oldest on, and scopes around it, of which the
 * first one wins.
 */
export interface VariableSources {
  readonly frames: readonly ScopeFrame[];
  readonly around: readonly ScopeSnapshot[];
  /** Whose variables lie below the tables; null for all scopes but the top scope. */
  readonly node: NodeInput | null;
}

/**
 * The variables that a scope saw at one moment, as `scope.to_hash` has them: those that are undef
 * are none. What comes from the node is read, and so recorded, when it is asked for: by name, or
 * all of it.
 */
export class ScopeSnapshot {
  readonly #tables: readonly ReadonlyMap<string, Value>[];
  readonly #around: readonly ScopeSnapshot[];
  readonly #node: NodeInput | null;

  constructor({ frames, around, node }: VariableSources) {
    this.#tables = frames.map((frame) => new Map(frame.ownEntries()));
    this.#around = around;
    this.#node = node;
  }

  /** Undefined for one that is undef or not there. */
  get(name: string): Value | undefined {
    const table = this.#tables.findLast((each) => each.has(name));
    if (table) return table.get(name) ?? undefined;
    for (const scope of this.#around) {
      const value = scope.get(name);
      if (value !== undefined) return value;
    }
    return (this.#node && listedNodeVariable(this.#node, name)) ?? undefined;
  }

  /** Inner ones over outer ones. */
  all(): Map<string, Value> {
    const all = new Map<string, Value>();
    for (const scope of this.#around.toReversed()) layOver(all, scope.all());
    if (this.#node) layOver(all, nodeVariables(this.#node));
    for (const table of this.#tables) layOver(all, table);
    return all;
  }
}

function layOver(target: Map<string, Value>, variables: Iterable<readonly [string, Value]>): void {
  for (const [name, value] of variables) {
    if (value === null) target.delete(name);
    else target.set(name, value);
  }
}
