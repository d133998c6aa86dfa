import { OrchestratorError } from './orchestrator-error.ts';

/** What the agents of a job are asked to do. */
export interface JobOrder {
  /**
   * How their answers are read: `shim` is a command or script whose exit code is part of the
   * result, not a failure.
   */
  readonly kind: 'puppet' | 'task' | 'shim';
  /** Of the PXP request. */
  readonly module: string;
  readonly action: string;
  /** Null: they are sealed. */
  readonly params: Readonly<Record<string, unknown>> | null;
  /** Params with secrets, as JSON that the vault sealed; null: there are none. */
  readonly sealed: string | null;
  readonly noop: boolean;
  readonly noNoop: boolean;
  /** The environment that agents are to have; null: they keep theirs. */
  readonly environment: string | null;
  /** The longest time of one node; null: no bound. */
  readonly timeoutMs: number | null;
  /** Whether nodes start only as the gate allows. */
  readonly isGated?: boolean;
}

/** The nodes of a job, in the order in which they may start. */
export interface JobTargets {
  readonly names: readonly string[];
  /**
   * For each node, the indexes of those that have to finish before it starts; absent: any order.
   * When one of them fails, the node is skipped.
   */
  readonly after?: readonly (readonly number[])[];
}

/** Which nodes depend on others. */
export interface RunDependencies {
  /** The nodes that have to finish before each node; one without an entry depends on none. */
  readonly dependencies: Readonly<Record<string, readonly string[]>>;
}

/** Orders the nodes of deploys: the port to what knows which nodes depend on others. */
export interface RunOrder {
  /** Finds the dependencies among these nodes. */
  order(environment: string, names: readonly string[]): Promise<RunDependencies>;
}

/**
 * Arranges nodes by their levels: a node's level is one more than that of those it depends on.
 * Throws OrchestratorError for a cycle.
 */
export function arrangeTargets(names: readonly string[], { dependencies }: RunDependencies): JobTargets {
  const isMember = new Set(names);
  const before = new Map(
    names.map((name) => [name, (dependencies[name] ?? []).filter((one) => isMember.has(one) && one !== name)] as const),
  );
  const open = new Map([...before].map(([name, needed]) => [name, new Set(needed).size]));
  if ([...open.values()].every((count) => count === 0)) return { names };
  const dependents = Map.groupBy(
    [...before].flatMap(([name, needed]) => [...new Set(needed)].map((one) => ({ one, name }))),
    ({ one }) => one,
  );
  const arranged: string[] = [];
  let level = names.filter((name) => open.get(name) === 0);
  while (level.length > 0) {
    arranged.push(...level);
    const next: string[] = [];
    for (const { name } of level.flatMap((one) => dependents.get(one) ?? [])) {
      const left = (open.get(name) ?? 0) - 1;
      open.set(name, left);
      if (left === 0) next.push(name);
    }
    level = next;
  }
  if (arranged.length < names.length) {
    const nodes = names.filter((name) => (open.get(name) ?? 0) > 0);
    throw new OrchestratorError('dependency-cycle', `The nodes depend on each other: ${nodes.join(', ')}`, { nodes });
  }
  const places = new Map(arranged.map((name, index) => [name, index]));
  return {
    names: arranged,
    after: arranged.map((name) => (before.get(name) ?? []).map((one) => places.get(one) ?? 0)),
  };
}
