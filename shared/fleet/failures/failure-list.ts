import { allDocuments } from '../../store/list-pages.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import type { FailureKind } from './failing-node.ts';
import { type FailureGroup, readFailureGroup } from './failure-group.ts';

/** The collection of the groups, by id: 1,000 at most. */
export const FAILURES = 'failures';

/** Selection of groups. */
export interface FailureQuery {
  /** Null: both. */
  readonly kind: FailureKind | null;
  readonly state: 'open' | 'closed' | null;
  readonly environment: string | null;
  /** Only groups that name this node. */
  readonly certname: string | null;
}

/** All groups, in no order. It reads the groups and not the nodes, however many there are. */
export async function listFailureGroups(documents: Pick<DocumentStore, 'list'>): Promise<readonly FailureGroup[]> {
  const groups: FailureGroup[] = [];
  for await (const { key, document } of allDocuments(documents, FAILURES)) groups.push(readFailureGroup(key, document));
  return groups;
}

/** A group; null when there is none of that id. */
export async function findFailureGroup(
  documents: Pick<DocumentStore, 'get'>,
  id: string,
): Promise<FailureGroup | null> {
  const document = await documents.get(FAILURES, id);
  return document && readFailureGroup(id, document);
}

/** The groups that a query asks for: open ones first, and of these those of most nodes. */
export function selectFailures(groups: readonly FailureGroup[], query: FailureQuery): readonly FailureGroup[] {
  const { kind, state, environment, certname } = query;
  return groups
    .filter((group) => kind === null || group.kind === kind)
    .filter(({ closedAt }) => state === null || (closedAt === null) === (state === 'open'))
    .filter((group) => environment === null || group.environment === environment)
    .filter(({ nodes }) => certname === null || nodes.includes(certname))
    .toSorted(compareGroups);
}

function compareGroups(a: FailureGroup, b: FailureGroup): number {
  if (a.closedAt === null && b.closedAt === null) return b.count - a.count || b.firstAt - a.firstAt || compareIds(a, b);
  if (a.closedAt === null || b.closedAt === null) return a.closedAt === null ? -1 : 1;
  return b.closedAt - a.closedAt || compareIds(a, b);
}

function compareIds(a: FailureGroup, b: FailureGroup): number {
  return a.id < b.id ? -1 : 1;
}
