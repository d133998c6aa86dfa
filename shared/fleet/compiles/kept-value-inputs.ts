import type { KeptChange, KeptLookup, KeptText } from '../../puppet/compiler/kept-values.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * The values kept on the server for one compile: those that the node's last compile named, and
 * those that this one needs.
 */
export class CompileValues {
  readonly #node: NodeRecord;
  readonly #context: WorkerContext;
  readonly #fetched = new Map<string, KeptText | null>();
  readonly #kept = new Set<string>();

  constructor(node: NodeRecord, context: WorkerContext) {
    this.#node = node;
    this.#context = context;
  }

  /** Fetches what the node's last compile named. */
  fetchLast(): Promise<void> {
    return this.fetch(Object.keys(this.#node.inputs?.keptValues ?? {}));
  }

  async fetch(names: readonly string[]): Promise<void> {
    const { keptValues } = this.#context;
    if (!keptValues || names.length === 0) return;
    const found = await keptValues.fetch(this.#node.environment, names);
    for (const name of names) this.#fetched.set(name, found.get(name) ?? null);
  }

  /** For the compiler; undefined when nothing is kept. */
  get lookUp(): KeptLookup | undefined {
    return this.#context.keptValues && ((name) => this.#fetched.get(name));
  }

  /**
   * Stores what a compile left, also one that failed, and fetches what is in force now: of two
   * compiles that create a value, both get that of the first. True when the compile has to start
   * again, because it shall see what is stored. Code that changes a value each time starts it again
   * once.
   */
  async keep(changes: readonly KeptChange[]): Promise<boolean> {
    const { keptValues } = this.#context;
    if (!keptValues || changes.length === 0) return false;
    const names = changes.map(({ name }) => name);
    const isStored = await keptValues.store(this.#node.environment, changes, this.#node.certname);
    if (!isStored || names.every((name) => this.#kept.has(name))) return false;
    for (const name of names) this.#kept.add(name);
    await this.fetch(names);
    return true;
  }
}

/** The reasons to compile a node because of values kept on the server. */
export async function findChangedValues(
  { environment, inputs }: NodeRecord,
  { keptValues }: WorkerContext,
): Promise<readonly string[]> {
  const seen = Object.entries(inputs?.keptValues ?? {});
  if (seen.length === 0 || !keptValues) return [];
  const present = await keptValues.versions(
    environment,
    seen.map(([name]) => name),
  );
  const changed = seen.filter(([name, version]) => (present.get(name) ?? null) !== version);
  return changed.map(([name]) => `the kept value ${name} changed`);
}
