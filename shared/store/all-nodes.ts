import type { NodeRecord } from './ports/node-record.ts';
import type { NodeStore } from './ports/node-store.ts';

const PAGE = 100;

/** Yields all nodes, reading one page at a time. */
export async function* allNodes(nodes: Pick<NodeStore, 'list'>): AsyncGenerator<readonly NodeRecord[]> {
  let after: string | null = null;
  for (;;) {
    const page: readonly NodeRecord[] = await nodes.list(after, PAGE);
    yield page;
    after = page.at(-1)?.certname ?? null;
    if (after === null || page.length < PAGE) return;
  }
}
