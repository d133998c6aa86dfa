import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { keepChange, type TouchedByChange } from '../nodes/noted-changes.ts';
import { printStrictness } from '../policies/strictness-policy.ts';

const PAGE = 1000;

/**
 * Notes for the list of changes that all nodes of an environment compile with another strictness.
 * It reads a summary of each node of the fleet.
 */
export async function noteStrictness(
  { name: environment, strictness }: Pick<EnvironmentRecord, 'name' | 'strictness'>,
  user: string,
  ports: Pick<Stores, 'nodes' | 'documents' | 'clock'>,
): Promise<void> {
  const now = printStrictness(strictness);
  const why = `the strictness of ${environment} is ${now === '' ? "the server's again" : now}`;
  const touched: TouchedByChange[] = [];
  for (let after: string | null = null; ; ) {
    const page = await ports.nodes.listSummaries(after, PAGE);
    for (const node of page) {
      if (node.environment === environment) touched.push({ certname: node.certname, why });
    }
    after = page.at(-1)?.certname ?? null;
    if (page.length < PAGE) break;
    // A page of the embedded store is read at once: requests are served between the pages.
    await nextTurn();
  }
  await keepChange(ports, { kind: 'strictness', environment, summary: why, user, touched });
}
