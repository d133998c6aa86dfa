import { SERVED_CODE_DIRECTORY } from '../../puppet/environment/snapshot.ts';
import { snapshotTree } from '../../puppet/environment/snapshot-environment.ts';
import { isAsSeen } from '../../puppet/environment/verify.ts';
import { HieraCache } from '../../puppet/hiera/hiera-cache.ts';
import { dataStates, KeyedFile } from '../../puppet/hiera/keyed-file.ts';
import { LOOKUP_OPTIONS } from '../../puppet/hiera/lookup-key.ts';
import { printJson } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import { type FactsOwner, loadFacts } from '../facts/facts-blob.ts';
import { loadSnapshot } from '../snapshots/snapshot-cache.ts';
import { readContent } from '../snapshots/stored-content.ts';

/** Values that a compile saw of its inputs, for people to read. */
export interface InputValues {
  /**
   * The value of a fact at `path`, as JSON of at most 200 characters; `seen` is its record. Null
   * for an absent one, and for one that is secret by its name. Values of later facts are named as
   * such.
   */
  ofFact(root: 'facts' | 'trusted', path: readonly string[], seen: string): string | null;
  /** The value of a key in a data file, likewise; null for one that is secret, too. */
  ofKey(file: string, key: string): string | null;
}

const LONGEST_VALUE = 200;
/** Bytes of a data file that is parsed. */
const LARGEST_DATA = 1024 * 1024;
/** Names of values that are secret as a rule. */
export const SECRET_NAME = /pass(?:w(?:or)?d|phrase)|secret|token|credential|private_?key|api_?key/i;
const ENCRYPTED = /ENC\[/;

/**
 * Reads the values that a compile saw: facts from the newest ones of `owner`, data from the code
 * `codeId`. `files` are the data files that are asked for. Values are missing where the facts or
 * the code are deleted.
 */
export async function readInputValues(
  owner: FactsOwner,
  codeId: string | null,
  files: readonly string[],
  blobs: BlobStore,
): Promise<InputValues> {
  const facts = await loadFacts(blobs, owner);
  const data = codeId === null ? new Map<string, PuppetHash>() : await readDataFiles(codeId, files, blobs);
  const options = [...data.values()].flatMap((hash) => sensitiveKeys(hash.get(LOOKUP_OPTIONS)));
  return {
    ofFact: (root, path, seen) => (facts === null ? null : printFact(facts[root], path, seen)),
    ofKey: (file, key) => {
      const value = data.get(file)?.get(key);
      const isSecret = SECRET_NAME.test(key) || options.some((matches) => matches(key));
      return value === undefined || isSecret ? null : printInputValue(value);
    },
  };
}

function printFact(hash: PuppetHash, path: readonly string[], seen: string): string | null {
  if (path.length === 0 || seen === '-' || path.some((name) => SECRET_NAME.test(name))) return null;
  const value = path.reduce<Value | undefined>(
    (in_, key) => (in_ instanceof PuppetHash ? in_.get(key) : undefined),
    hash,
  );
  if (value === undefined) return 'absent by now';
  const text = printInputValue(value);
  return text === null || isAsSeen(seen, value) ? text : `another one by now: ${text}`;
}

/** Null for a value that is encrypted, or has a member that is secret by its name. */
function printInputValue(value: Value): string | null {
  if (hasSecret(value)) return null;
  const text = printJson(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

function hasSecret(value: Value): boolean {
  if (typeof value === 'string') return ENCRYPTED.test(value);
  if (Array.isArray(value)) return value.some(hasSecret);
  if (!(value instanceof PuppetHash)) return false;
  return [...value.entries()].some(([key, member]) => SECRET_NAME.test(String(key)) || hasSecret(member));
}

/** Predicates for keys that these lookup_options convert to Sensitive. */
function sensitiveKeys(options: Value | undefined): readonly ((key: string) => boolean)[] {
  if (!(options instanceof PuppetHash)) return [];
  return [...options.entries()].flatMap(([name, option]) => {
    const converted = option instanceof PuppetHash ? option.get('convert_to') : undefined;
    if (converted === undefined || !printJson(converted).includes('Sensitive')) return [];
    return [matcherOf(String(name))];
  });
}

/** A name that begins with `^` is a pattern. One that JavaScript does not take matches all keys. */
function matcherOf(name: string): (key: string) => boolean {
  if (!name.startsWith('^')) return (key) => key === name;
  try {
    const pattern = new RegExp(name);
    return (key) => pattern.test(key);
  } catch {
    return () => true;
  }
}

async function readDataFiles(
  codeId: string,
  files: readonly string[],
  blobs: BlobStore,
): Promise<ReadonlyMap<string, PuppetHash>> {
  const snapshot = await loadSnapshot(blobs, codeId).catch(() => null);
  if (snapshot === null) return new Map();
  const contents = new Map<string, Uint8Array>();
  const present = files.filter((file) => (snapshot.files[file]?.size ?? LARGEST_DATA) < LARGEST_DATA);
  for (const file of present) {
    const digest = snapshot.files[file]?.sha256;
    if (digest !== undefined) contents.set(digest, await readContent(blobs, digest));
  }
  const tree = snapshotTree(snapshot, (digest) => contents.get(digest) ?? new Uint8Array());
  const dataOf = dataStates(tree, SERVED_CODE_DIRECTORY, new HieraCache());
  return new Map(
    present.flatMap((file) => {
      const data = dataOf(file);
      return data instanceof KeyedFile ? [[file, data.data] as const] : [];
    }),
  );
}
