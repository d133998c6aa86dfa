import type { Value } from '../types/values/values.ts';
import { listedNodeVariable, nodeVariables } from './node-variables.ts';
import type { NodeInput } from './ports.ts';
import type { ScopeFrame } from './scope-frame.ts';

/**
 * The tables that a scope reads: its own from the oldest to the newest, and its outer scopes, of
 * which the first takes precedence.
 */
interface VariableSources {
  readonly frames: readonly ScopeFrame[];
  readonly around: readonly ScopeSnapshot[];
  /** The node whose variables lie below the tables; null except for the top scope. */
  readonly node: NodeInput | null;
}

/**
 * The variables that a scope saw at one moment, as `scope.to_hash` returns them: undef variables
 * are left out. A node variable is read, and so recorded, only on request: by name, or all of them.
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

  /** Returns a variable; undefined when it is undef or missing. */
  get(name: string): Value | undefined {
    const table = this.#tables.findLast((each) => each.has(name));
    if (table) return table.get(name) ?? undefined;
    for (const scope of this.#around) {
      const value = scope.get(name);
      if (value !== undefined) return value;
    }
    return (this.#node && listedNodeVariable(this.#node, name)) ?? undefined;
  }

  /** Returns all variables; inner ones shadow outer ones. */
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
