import { DEFAULT_POLICY, type FreshnessPolicy } from '../../fleet/policies/policy-fields.ts';
import type { NodeChange } from '../../store/ports/node-changes.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { decideDue, isOtherCatalog, type NotDueReason } from './due-decision.ts';
import { NotifyBook } from './notify-book.ts';
import { laneOf, type NotifyLane, printLane } from './notify-lane.ts';
import { NotifyPolicies } from './notify-policies.ts';

interface RecorderParts {
  readonly stores: Pick<Stores, 'nodes' | 'clock'>;
  readonly book: NotifyBook;
  readonly policies: NotifyPolicies;
}

/** A node whose runs change what others collect, and the other way around, would run for ever. */
const GAP_MS = { now: 10_000, paced: 300_000 } as const;

/** Makes nodes due by the changes of their catalogs. The same change again has no effect. */
export class DueRecorder {
  readonly #parts: RecorderParts;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  /** Records a change: `due`, or why not; `other` for a change of something else. */
  async record(change: NodeChange): Promise<NotDueReason | 'due' | 'other'> {
    const { stores, book, policies } = this.#parts;
    const { certname } = change;
    if (change.kind === 'removed') await book.forget(certname);
    if (change.kind !== 'catalog') return 'other';
    const { before, after, at } = change;
    // Without a request: most commits change nothing.
    if (before === null || !isOtherCatalog(before, after)) return before === null ? 'first' : 'same';
    if (!(await policies.isOnAnywhere(at))) return 'off';
    const record = await stores.nodes.get(certname);
    if (record === null) return 'gone';
    const environment = record.inputs?.environment ?? record.environment;
    const policy = await policies.resolve(certname, environment, at);
    const lane = laneOf(environment, policy);
    if (lane === null) return 'off';
    const last = await book.getNotified(certname);
    const reason = decideDue({ before, after, record, policy, notified: last?.compiledAt ?? null });
    if (reason !== null) return reason;
    await this.#add(lane, { certname, compiledAt: after.compiledAt, dueAt: at, tries: 0 }, last?.at ?? 0);
    return 'due';
  }

  async #add(lane: NotifyLane, node: Parameters<NotifyBook['addDue']>[1], notifiedAt: number): Promise<void> {
    const { stores, book } = this.#parts;
    const earliest = notifiedAt + GAP_MS[lane.notify];
    if (earliest > stores.clock.now()) await book.addLater(printLane(lane), node, earliest);
    else await book.addDue(printLane(lane), node);
  }
}

const AT_ONCE = 16;

/** Creates what records changes in the stores; `usual` gives the values that no policy sets. */
export function createDueRecorder(
  stores: Pick<Stores, 'nodes' | 'documents' | 'clock'>,
  usual: FreshnessPolicy = DEFAULT_POLICY,
): DueRecorder {
  const book = new NotifyBook(stores.documents);
  return new DueRecorder({ stores, book, policies: new NotifyPolicies(stores.documents, stores.clock, usual) });
}

/** Records changes, those of a node in their order; returns how many made a node due. */
export async function recordChanges(
  changes: readonly NodeChange[],
  recorder: Pick<DueRecorder, 'record'>,
): Promise<number> {
  const byNode = Map.groupBy(changes, ({ certname }) => certname);
  const counts = await inParallel(AT_ONCE, byNode.values(), async (ofNode) => {
    let due = 0;
    for (const change of ofNode) if ((await recorder.record(change)) === 'due') due += 1;
    return due;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
