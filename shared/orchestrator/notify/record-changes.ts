import { DEFAULT_POLICY, type FreshnessPolicy } from '../../fleet/policies/policy-fields.ts';
import type { NodeChange } from '../../store/ports/node-changes.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { DueRecorder } from './due-recorder.ts';
import { NotifyBook } from './notify-book.ts';
import { NotifyPolicies } from './notify-policies.ts';

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
