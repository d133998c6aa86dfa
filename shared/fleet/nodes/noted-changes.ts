import type { StoredDocument } from '../../store/ports/document-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';
import { canonicalJson } from '../../util/digest.ts';

export const CHANGE_KINDS = ['groups', 'exports', 'value', 'strictness'] as const;
type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Nodes that a change touched, and why. */
export interface TouchedByChange {
  readonly certname: string;
  readonly why: string;
}

/** Something other than a deploy that made nodes stale. */
export interface NotedChange {
  readonly id: string;
  readonly at: number;
  readonly kind: ChangeKind;
  readonly environment: string | null;
  readonly summary: string;
  /** The user who made it; null: nodes did. */
  readonly user: string | null;
  /** Number of nodes that it touched. */
  readonly count: number;
  /** The first 100 of them. */
  readonly nodes: readonly TouchedByChange[];
}

interface NewChange extends Omit<NotedChange, 'id' | 'at' | 'count' | 'nodes'> {
  readonly touched: readonly TouchedByChange[];
  /** The whole of which this is a part: the parts of one are one row. */
  readonly of?: { readonly at: number; readonly name: string };
}
type Ports = Pick<Stores, 'documents' | 'clock'>;

const COLLECTION = 'changes';
const MOST_NODES = 100;
const LONGEST_TEXT = 200;
const KEPT_MS = 14 * DAY_MS;
/** Changes of exports within this time are one: nodes make them all day. */
const WINDOW_MS = 10 * 60_000;
const MOST_RACES = 5;
const DROPPED_AT_ONCE = 20;
const LAST_MILLISECOND = 9_999_999_999_999;

/**
 * Notes a change that touched nodes; one that touched none is not noted. A change takes 1 to 25 KB
 * for two weeks, whatever the fleet has: the names of 100 nodes are kept, and the number of all.
 * Changes of exports in ten minutes are one row. A part whose author is known names the whole.
 */
export async function keepChange(ports: Ports, { touched, of, ...change }: NewChange): Promise<void> {
  const mayName = of !== undefined && change.user !== null;
  if (touched.length === 0 && !mayName) return;
  const { documents, clock } = ports;
  const now = clock.now();
  const own = { at: now, name: clock.random().toString(36).slice(2, 10) };
  const ofExports = { at: now - (now % WINDOW_MS), name: 'exports' };
  const { at, name } = of ?? (change.kind === 'exports' ? ofExports : own);
  const id = `${ageOf(at)}-${name}`;
  const added = { ...change, summary: cut(change.summary), at, count: 0, nodes: [] };
  for (let race = 0; race < MOST_RACES; race += 1) {
    const before = await documents.get(COLLECTION, id);
    if (before === null && touched.length === 0) return;
    const document = extend(before === null ? added : nameBy(before, added), touched);
    if (before !== null && canonicalJson(before) === canonicalJson(document)) return;
    const isWritten =
      before === null
        ? await documents.create(COLLECTION, id, document)
        : await documents.replace(COLLECTION, id, before, document);
    if (isWritten) break;
  }
  await dropOld(documents, now);
}

/** Noted changes at `before` or earlier, newest first. */
export async function listNotedChanges(
  { documents }: Pick<Ports, 'documents'>,
  limit: number,
  before?: number,
): Promise<readonly NotedChange[]> {
  const after = before === undefined ? undefined : `${ageOf(before + 1)}~`;
  return (await documents.list(COLLECTION, '', limit, after)).map(({ key, document }) => readChange(key, document));
}

/** A noted change; null when there is none of that id. */
export async function getNotedChange({ documents }: Pick<Ports, 'documents'>, id: string): Promise<NotedChange | null> {
  const document = await documents.get(COLLECTION, id);
  return document && readChange(id, document);
}

function nameBy(before: StoredDocument, { summary, user }: Pick<NotedChange, 'summary' | 'user'>): StoredDocument {
  return before.user === null && user !== null ? { ...before, summary, user } : before;
}

function extend(document: StoredDocument, touched: readonly TouchedByChange[]): StoredDocument {
  const known = Array.isArray(document.nodes) ? document.nodes : [];
  const names = new Set(known.map(({ certname }) => certname));
  const others = touched.filter(({ certname }) => !names.has(certname));
  const nodes = [...known, ...others.map(({ certname, why }) => ({ certname, why: cut(why) }))].slice(0, MOST_NODES);
  return { ...document, count: Number(document.count) + others.length, nodes };
}

async function dropOld(documents: Ports['documents'], now: number): Promise<void> {
  const old = await documents.list(COLLECTION, '', DROPPED_AT_ONCE, `${ageOf(now - KEPT_MS)}~`);
  for (const { key } of old) await documents.delete(COLLECTION, key);
}

function readChange(id: string, document: StoredDocument): NotedChange {
  const { at, kind, environment, summary, user, count, nodes } = document;
  return {
    id,
    at: Number(at),
    kind: CHANGE_KINDS.find((known) => known === kind) ?? 'groups',
    environment: typeof environment === 'string' ? environment : null,
    summary: String(summary),
    user: typeof user === 'string' ? user : null,
    count: Number(count),
    nodes: Array.isArray(nodes)
      ? nodes.map(({ certname, why }) => ({ certname: String(certname), why: String(why) }))
      : [],
  };
}

/** A key that sorts newest first. */
function ageOf(at: number): string {
  return String(LAST_MILLISECOND - at).padStart(13, '0');
}

function cut(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text;
}
