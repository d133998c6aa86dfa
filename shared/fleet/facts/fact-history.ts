import { printJson } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import { runInSteps } from '../../util/in-steps.ts';
import { findChangedFacts, isMovingPart } from './fact-changes.ts';

/** A fact of a node that changed. */
export interface FactChange {
  /** When the new value was stored, in milliseconds since 1970. */
  readonly at: number;
  /** The path of the value, as `os.release.major`. */
  readonly path: string;
  /** The value before as JSON, at most 200 characters; null: there was none. */
  readonly from: string | null;
  /** The same of the value after. */
  readonly to: string | null;
}

type Documents = Pick<DocumentStore, 'get' | 'put' | 'delete'>;

/** A node's document with its changes, newest first. */
const COLLECTION = 'fact-history';
/** Changes that are kept of a node: with the longest values they are 50 kB. */
const MOST_KEPT = 100;
/** Changes that one check-in adds. */
const MOST_OF_ONCE = 40;
/** Values of a fact that are compared. */
const MOST_LEAVES = 2000;
const LONGEST_VALUE = 200;
const LONGEST_PATH = 200;

/**
 * Lists the values that differ between two sets of facts, by path; at most 40. A value that changes
 * at each run, as the uptime, is none of them.
 */
export async function listFactChanges(
  before: PuppetHash,
  after: PuppetHash,
  at: number,
  isMoving: (name: string) => boolean,
): Promise<readonly FactChange[]> {
  const found: FactChange[] = [];
  for (const name of await runInSteps(findChangedFacts(before, after))) {
    if (isMoving(name)) continue;
    const [old, next] = [listLeaves(name, before.get(name)), listLeaves(name, after.get(name))];
    for (const path of new Set([...old.keys(), ...next.keys()])) {
      const [from, to] = [old.get(path) ?? null, next.get(path) ?? null];
      if (from === to) continue;
      if (found.length === MOST_OF_ONCE) return found;
      found.push({ at, path: path.slice(0, LONGEST_PATH), from: shorten(from), to: shorten(to) });
    }
  }
  return found;
}

/**
 * Adds changes to those of a node; the oldest beyond 100 are dropped. A change that is already the
 * newest of its path is not added again: a check-in that is repeated says the same.
 */
export async function addFactChanges(
  documents: Documents,
  certname: string,
  changes: readonly FactChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const known = await readFactChanges(documents, certname);
  const added = changes.filter(({ path, from, to }) => {
    const last = known.find((one) => one.path === path);
    return last === undefined || last.to !== to || last.from !== from;
  });
  if (added.length === 0) return;
  await documents.put(COLLECTION, certname, { changes: [...added, ...known].slice(0, MOST_KEPT) });
}

/** The changes of a node's facts, newest first. */
export async function readFactChanges(documents: Documents, certname: string): Promise<readonly FactChange[]> {
  const document = await documents.get(COLLECTION, certname);
  return Array.isArray(document?.changes) ? document.changes.filter(isFactChange) : [];
}

/** Deletes the changes of a node's facts. */
export async function deleteFactChanges(documents: Documents, certname: string): Promise<void> {
  await documents.delete(COLLECTION, certname);
}

function isFactChange(value: unknown): value is FactChange {
  if (typeof value !== 'object' || value === null) return false;
  const { at, path, from, to } = value as Partial<Record<keyof FactChange, unknown>>;
  const isText = (text: unknown) => text === null || typeof text === 'string';
  return typeof at === 'number' && typeof path === 'string' && isText(from) && isText(to);
}

/** The values below a fact as JSON, by path; an array is one value. */
function listLeaves(name: string, value: Value | undefined): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const pending: (readonly [string, Value])[] = value === undefined ? [] : [[name, value]];
  for (const [path, one] of pending) {
    if (leaves.size === MOST_LEAVES) break;
    if (!(one instanceof PuppetHash)) leaves.set(path, printJson(one));
    else
      for (const [key, part] of one.entries()) {
        if (!isMovingPart(name, String(key))) pending.push([`${path}.${String(key)}`, part]);
      }
  }
  return leaves;
}

function shorten(text: string | null): string | null {
  return text === null || text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`;
}
