import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { KEYS } from './fact-notes.ts';
import { digestListing, PRESENT } from './file-notes.ts';
import { ATTRIBUTE_MARK, type FileTree, listEntries } from './file-tree.ts';
import type { InputSet } from './inputs.ts';
import type { KeyedData } from './key-reads.ts';
import { keysDigest, valueDigest } from './value-digest.ts';

/** An input that has changed. */
export interface InputChange {
  readonly kind: 'fact' | 'trusted' | 'setting' | 'file' | 'data' | 'time' | 'volatile';
  /**
   * Dotted fact path (`(all of fact)` for the facts as a whole), setting, path, data key with the
   * path of its file, time (ISO 8601), or call.
   */
  readonly name: string;
  readonly reason: 'changed' | 'appeared' | 'disappeared' | 'passed' | 'volatile';
}

/** The present state to compare with. Omitted parts are not compared. */
export interface PresentInputs {
  readonly facts?: PuppetHash;
  readonly trusted?: PuppetHash;
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * The present state of a file or folder in the notation of `InputSet.files`; null when it does
   * not exist.
   */
  readonly stateOf?: (path: string) => string | null;
  /** The present data of a file that was read by key; null when it has no keys any more. */
  readonly dataOf?: (path: string) => KeyedData | null;
  /** Milliseconds since 1970, for results that change at a known time. */
  readonly now?: number;
  /** Whether volatile calls count as changed. */
  readonly volatile?: boolean;
}

/** Recorded inputs; omitted parts do not change. */
type RecordedInputs = Partial<Omit<InputSet, 'currentUntil'>> & {
  readonly currentUntil?: number | null | undefined;
};

/** The recorded inputs that have changed; empty when a new compile would read the same. */
export function verifyInputs(inputs: RecordedInputs, present: PresentInputs): readonly InputChange[] {
  return [
    ...(present.facts ? compareValues('fact', inputs.facts ?? {}, present.facts) : []),
    ...(present.trusted ? compareValues('trusted', inputs.trusted ?? {}, present.trusted) : []),
    ...(present.settings ? compareSettings(inputs.settings ?? {}, present.settings) : []),
    ...(present.stateOf ? compareFiles(inputs.files ?? {}, present.stateOf) : []),
    ...(present.dataOf ? compareKeys(inputs.dataKeys ?? {}, present.dataOf, present.stateOf) : []),
    ...(present.now === undefined ? [] : compareTime(inputs.currentUntil ?? null, present.now)),
    ...(present.volatile ? (inputs.volatile ?? []) : []).map(
      (name): InputChange => ({ kind: 'volatile', name, reason: 'volatile' }),
    ),
  ];
}

/** Implements `PresentInputs.stateOf` over a tree. Relative paths start at `codeDirectory`. */
export function fileStates(tree: FileTree, codeDirectory: string): (path: string) => string | null {
  return (path) => {
    const full = path.startsWith('/') ? path : `${codeDirectory}/${path}`;
    if (full.includes(ATTRIBUTE_MARK)) return attributeState(tree, full);
    if (full.endsWith('/')) {
      const entries = listEntries(tree, full.slice(0, -1));
      return entries && digestListing(entries);
    }
    const kind = tree.kindOf(full);
    if (kind === 'directory') return PRESENT.directory;
    return kind && tree.digest(full);
  };
}

function attributeState(tree: FileTree, record: string): string | null {
  const [path = '', name] = record.split(ATTRIBUTE_MARK);
  if (tree.kindOf(path) === null || (name !== 'mode' && name !== 'links')) return null;
  return tree.attribute(path, name);
}

function compareValues(
  kind: 'fact' | 'trusted',
  recorded: Readonly<Record<string, string>>,
  present: PuppetHash,
): readonly InputChange[] {
  return Object.entries(recorded).flatMap(([key, seen]): InputChange[] => {
    const path: readonly string[] = JSON.parse(key);
    const value = dig(present, path);
    if (isAsSeen(seen, value)) return [];
    const reason = value === undefined ? 'disappeared' : seen === '-' ? 'appeared' : 'changed';
    return [{ kind, name: path.length === 0 ? `(all of ${kind})` : path.join('.'), reason }];
  });
}

function dig(hash: PuppetHash, path: readonly string[]): Value | undefined {
  let value: Value | undefined = hash;
  for (const key of path) {
    if (!(value instanceof PuppetHash)) return undefined;
    value = value.get(key);
  }
  return value;
}

/** Whether a recorded fact is as it was seen; undefined: it is absent. */
export function isAsSeen(seen: string, value: Value | undefined): boolean {
  if (seen === '-') return value === undefined;
  if (value === undefined) return false;
  if (seen === '+') return true;
  if (seen.startsWith(KEYS)) return value instanceof PuppetHash && KEYS + keysDigest(value) === seen;
  return seen === '{}' ? value instanceof PuppetHash : valueDigest(value) === seen;
}

function compareSettings(
  recorded: Readonly<Record<string, string>>,
  present: Readonly<Record<string, string>>,
): readonly InputChange[] {
  return Object.entries(recorded).flatMap(([name, value]): InputChange[] =>
    present[name] === value ? [] : [{ kind: 'setting', name, reason: 'changed' }],
  );
}

function compareFiles(recorded: InputSet['files'], stateOf: (path: string) => string | null): readonly InputChange[] {
  return Object.entries(recorded).flatMap(([name, seen]): InputChange[] => {
    const state = stateOf(name);
    const isSeenFile = seen === PRESENT.file && state !== null && state !== PRESENT.directory;
    if (state === seen || isSeenFile) return [];
    const reason = seen === null ? 'appeared' : state === null ? 'disappeared' : 'changed';
    return [{ kind: 'file', name, reason }];
  });
}

function compareTime(currentUntil: number | null, now: number): readonly InputChange[] {
  if (currentUntil === null || now < currentUntil) return [];
  return [{ kind: 'time', name: new Date(currentUntil).toISOString(), reason: 'passed' }];
}

function compareKeys(
  recorded: InputSet['dataKeys'],
  dataOf: (path: string) => KeyedData | null,
  stateOf: PresentInputs['stateOf'],
): readonly InputChange[] {
  return Object.entries(recorded).flatMap(([path, keys]): InputChange[] => {
    // These are changes of `files` already.
    const state = stateOf?.(path);
    if (state === null || state === PRESENT.directory) return [];
    const data = dataOf(path);
    if (!data) return [{ kind: 'file', name: path, reason: 'changed' }];
    return Object.entries(keys).flatMap(([key, seen]): InputChange[] => {
      const now = data.digestOf(key);
      if (now === seen) return [];
      const reason = seen === null ? 'appeared' : now === null ? 'disappeared' : 'changed';
      return [{ kind: 'data', name: `${key} of ${path}`, reason }];
    });
  });
}
