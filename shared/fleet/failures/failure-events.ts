import { allDocuments } from '../../store/list-pages.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import { DAY_MS } from '../../util/day.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { type FailureGroup, readFailureGroup } from './failure-group.ts';

/** A group began or ended. */
export interface FailureEvent {
  /** Sorts by time. */
  readonly id: string;
  readonly at: number;
  readonly what: 'opened' | 'closed';
  /** The group as it was then. */
  readonly group: FailureGroup;
}

const COLLECTION = 'failure-events';
/** Events that are kept, and for how long. */
const MOST_EVENTS = 500;
const KEPT_MS = 14 * DAY_MS;

/** The key before all events of this time and later ones. */
export function eventPlace(at: number): string {
  return String(at).padStart(15, '0');
}

/** Keeps an event; consumers see events in the order of their ids. */
export async function keepFailureEvent(
  documents: Pick<DocumentStore, 'put'>,
  { at, what, group }: Omit<FailureEvent, 'id'>,
): Promise<void> {
  const key = `${eventPlace(at)}-${what}-${group.id}`;
  await documents.put(COLLECTION, key, { at, what, group: { ...group } }, at + KEPT_MS);
}

/** The events behind `after`, the oldest first. */
export async function listFailureEvents(
  documents: Pick<DocumentStore, 'list'>,
  after: string,
  limit: number,
): Promise<readonly FailureEvent[]> {
  const found = await documents.list(COLLECTION, '', limit, after);
  return found.flatMap(({ key, document }) => readEvent(key, document) ?? []);
}

/** The newest events, newest first. */
export async function listNewestEvents(
  documents: Pick<DocumentStore, 'list'>,
  limit: number,
): Promise<readonly FailureEvent[]> {
  return (await listFailureEvents(documents, '', 2 * MOST_EVENTS)).toReversed().slice(0, limit);
}

/** An event; null when it is deleted by now. */
export async function findFailureEvent(
  documents: Pick<DocumentStore, 'get'>,
  id: string,
): Promise<FailureEvent | null> {
  const document = await documents.get(COLLECTION, id);
  return document && readEvent(id, document);
}

/** Deletes events that are no longer kept. */
export async function pruneFailureEvents(
  documents: Pick<DocumentStore, 'list' | 'delete'>,
  now: number,
): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of allDocuments(documents, COLLECTION)) keys.push(key);
  const old = keys.filter((key, index) => key < eventPlace(now - KEPT_MS) || index < keys.length - MOST_EVENTS);
  for (const key of old) await documents.delete(COLLECTION, key);
}

function readEvent(id: string, { at, what, group }: Readonly<Record<string, unknown>>): FailureEvent | null {
  if (!isJsonObject(group)) return null;
  const shown = readFailureGroup(String(group.id), group);
  return { id, at: Number(at), what: what === 'closed' ? 'closed' : 'opened', group: shown };
}
