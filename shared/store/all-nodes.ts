import type { NodeRecord, NodeStore } from './ports.ts';

const PAGE = 100;

/** All nodes, page by page. */
export async function* allNodes(nodes: Pick<NodeStore, 'list'>): AsyncGenerator<readonly NodeRecord[]> {
  let after: string | null = null;
  for (;;) {
    const page: readonly NodeRecord[] = await nodes.list(after, PAGE);
    yield page;
    after = page.at(-1)?.certname ?? null;
    if (after === null || page.length < PAGE) return;
  }
}
