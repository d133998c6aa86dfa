import type { InventoryLookup, InventoryReply } from '../../puppet/compiler/inventory-questions.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * The inventory's answers for one compile: those to the queries of the node's last compile, and
 * those that are asked for. A query is registered before its answer is read: whoever changes the
 * answer afterwards finds the node.
 */
export class CompileAnswers {
  readonly #node: NodeRecord;
  readonly #generation: number;
  readonly #context: WorkerContext;
  readonly #replies = new Map<string, InventoryReply>();

  constructor(node: NodeRecord, generation: number, context: WorkerContext) {
    this.#node = node;
    this.#generation = generation;
    this.#context = context;
  }

  /** Fetches what the node's last compile asked for. */
  fetchLast(): Promise<void> {
    return this.fetch(Object.keys(this.#node.inputs?.queries ?? {}));
  }

  async fetch(queries: readonly string[]): Promise<void> {
    const { inventory } = this.#context;
    if (!inventory || queries.length === 0) return;
    const watcher = { certname: this.#node.certname, generation: this.#generation };
    for (const [query, reply] of await inventory.ask(queries, watcher)) this.#replies.set(query, reply);
  }

  /** For the compiler; undefined without an inventory. */
  get lookUp(): InventoryLookup | undefined {
    return this.#context.inventory && ((query) => this.#replies.get(query) ?? null);
  }
}

/** Removes the queries of a node's former catalog; `queries` are those of the new one. */
export async function forgetFormerQueries(
  { certname, wanted, inputs }: NodeRecord,
  queries: readonly string[],
  { inventory }: WorkerContext,
): Promise<void> {
  if (!inventory || Object.keys(inputs?.queries ?? {}).every((query) => queries.includes(query))) return;
  // Queries that remain while the inventory is away have the node verified once too often.
  await inventory.keepOnly(queries, { certname, generation: wanted }).catch(ignoreAbsence);
}

function ignoreAbsence(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}

/** The reason when nothing but answers of the inventory changed. */
const ANSWERS_CHANGED = 'the answer changed to the query';

/**
 * The reasons to compile a node because of its queries. That there is no inventory any more is one;
 * that it is away is none.
 */
export async function findChangedAnswers(
  { certname, wanted, inputs }: NodeRecord,
  { inventory }: WorkerContext,
): Promise<readonly string[]> {
  const seen = Object.entries(inputs?.queries ?? {});
  if (seen.length === 0) return [];
  if (!inventory) return ['there is no inventory any more'];
  const queries = seen.map(([query]) => query);
  try {
    const present = await inventory.digest(queries, { certname, generation: wanted });
    const changed = seen.filter(([query, digest]) => present.get(query) !== digest);
    return changed.map(([query]) => `${ANSWERS_CHANGED} ${shorten(query)}`);
  } catch (error) {
    ignoreAbsence(error);
    return [];
  }
}

const SHOWN = 100;

function shorten(query: string): string {
  return query.length > SHOWN ? `${query.slice(0, SHOWN)}...` : query;
}
