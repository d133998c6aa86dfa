import { isKindRecord } from '../../puppet/environment/file-notes.ts';
import type { InputSummary, NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { UNKNOWN_STATE } from '../dependencies/part-states.ts';
import { recallFiles } from '../dependencies/recall-files.ts';
import { loadSnapshot } from '../snapshots/snapshot-cache.ts';
import { readContent } from '../snapshots/stored-content.ts';
import { patternOfFact, patternOfFile, patternOfKey, type ReadingLine, type ReadText } from './find-readers.ts';
import { type FoundReaders, findFirstReads, withReaders } from './input-readers.ts';
import { type InputValues, readInputValues, SECRET_NAME } from './input-values.ts';

export type InputKind =
  | 'fact'
  | 'trusted'
  | 'setting'
  | 'file'
  | 'data'
  | 'listing'
  | 'collector'
  | 'query'
  | 'classification'
  | 'volatile';

/** Something that a node's catalog follows from. */
export interface DescribedInput {
  readonly kind: InputKind;
  readonly name: string;
  /** Lines that mention it, as far as they are found in the code that the compile read. */
  readonly readers: readonly ReadingLine[];
  /** The part that counts: another value, content or presence makes the catalog stale. */
  readonly why: string;
  /**
   * The value that the compile saw, as JSON of at most 200 characters. Absent for a secret, for a
   * file, and where no value counts. A value that the node sent after the compile says so.
   */
  readonly value?: string;
}

export interface DescribedInputs {
  readonly compiledAt: number | null;
  readonly codeId: string | null;
  readonly inputs: readonly DescribedInput[];
  /** Inputs beyond the first 2,000. */
  readonly omitted: number;
}

const MOST_INPUTS = 2000;
/** Bounds of the search for readers: files that are read, their bytes, inputs. */
const MOST_FILES = 400;
const MOST_BYTES = 1024 * 1024;
const LARGEST_FILE = 64 * 1024;
const MOST_SEARCHED = 400;
const READS_AT_ONCE = 16;
const CODE = /\.(pp|epp|erb|rb|ya?ml|json)$/;

/** An input before its readers are found. */
type FoundInput = Omit<DescribedInput, 'readers'> & FoundReaders;

/**
 * Lists the inputs of the node's last compile, each with the lines of code that mention it. Null
 * without a compile. The compile recorded the line that read an input first; the others are found
 * by their text in the code that it read.
 */
export async function describeInputs(
  { catalog, failure, inputs, ...owner }: Pick<NodeRecord, 'certname' | 'catalog' | 'facts' | 'failure' | 'inputs'>,
  { blobs }: Pick<Stores, 'blobs'>,
): Promise<DescribedInputs | null> {
  if (inputs === null) return null;
  const { dependencies } = inputs;
  const read = dependencies === undefined ? null : await recallFiles(dependencies, blobs);
  const files = read?.files ?? {};
  const codeId = dependencies?.codeId ?? null;
  const dataKeys = read?.dataKeys ?? {};
  const values = await readInputValues(owner, codeId, Object.keys(dataKeys), blobs);
  const found = [
    ...describeFacts('fact', inputs.facts, values),
    ...describeFacts('trusted', inputs.trusted, values),
    ...describeSettings(inputs),
    ...Object.entries(dataKeys).flatMap(([path, keys]) => describeKeys(path, keys, values)),
    ...Object.entries(files).map(([path, seen]) => describeFile(path, seen)),
    ...describeOthers(inputs),
  ];
  const findFirst = await findFirstReads(
    { ...inputs, files, dataKeys },
    { certname: owner.certname, checksum: dependencies?.readers },
    blobs,
  );
  const texts = codeId === null ? [] : await readTexts(codeId, files, blobs);
  const shown = found.slice(0, MOST_INPUTS);
  return {
    compiledAt: failure?.at ?? catalog?.compiledAt ?? null,
    codeId,
    inputs: shown.map((input, index) => withReaders(input, findFirst, texts, index < MOST_SEARCHED)),
    omitted: found.length - shown.length,
  };
}

function describeFacts(
  kind: 'fact' | 'trusted',
  seen: InputSummary['facts'],
  values: InputValues,
): readonly FoundInput[] {
  const root = kind === 'fact' ? 'facts' : 'trusted';
  return Object.entries(seen).map(([key, state]) => {
    const path = JSON.parse(key) as readonly string[];
    const name = path.length === 0 ? '(all)' : path.join('.');
    const value = COUNTS_AS_VALUE.test(state) ? values.ofFact(root, path, state) : null;
    return { kind, name, pattern: patternOfFact(root, path), recorded: key, why: whyFact(state), ...withValue(value) };
  });
}

/** The record of a fact whose value counts, and not only its presence, its kind or its keys. */
const COUNTS_AS_VALUE = /^[0-9a-f]{64}$/;

function withValue(value: string | null): Pick<DescribedInput, 'value'> {
  return value === null ? {} : { value };
}

function whyFact(state: string): string {
  if (state === '-') return 'It is absent: the catalog changes when it appears';
  if (state === '+') return 'Its presence counts';
  if (state === '{}') return 'It is a hash, of which other inputs name the parts';
  return state.startsWith('keys:') ? 'The names of its keys count' : 'Its value counts';
}

function describeSettings({ settings }: InputSummary): readonly FoundInput[] {
  return Object.entries(settings).map(([name, value]) => {
    const shown = SECRET_NAME.test(name) ? {} : { value };
    return { kind: 'setting', name, pattern: null, why: 'Its value counts', ...shown };
  });
}

function describeKeys(
  path: string,
  keys: Readonly<Record<string, string | null>>,
  values: InputValues,
): readonly FoundInput[] {
  return Object.entries(keys).map(([key, seen]) => ({
    ...withValue(seen === null ? null : values.ofKey(path, key)),
    kind: 'data',
    name: `${path} ${key}`,
    pattern: patternOfKey(key),
    first: key,
    own: path,
    recorded: key,
    why: seen === null ? 'The file lacks the key: the catalog changes when it appears' : 'The value of the key counts',
  }));
}

function describeFile(path: string, seen: string | null): FoundInput {
  const why = whyFile(path, seen);
  if (path.endsWith('/')) return { kind: 'listing', name: path, pattern: null, recorded: path, why };
  const name = path.replace(/\/\/(mode|links)$/, '');
  return { kind: 'file', name, pattern: patternOfFile(name), own: name, recorded: path, why };
}

function whyFile(path: string, seen: string | null): string {
  if (path.endsWith('/')) return 'The names in the folder count';
  if (seen === null) return 'It is absent: the catalog changes when it appears';
  if (path.endsWith('//mode')) return 'Its mode counts';
  if (path.endsWith('//links')) return 'The symbolic links below it count';
  if (seen === UNKNOWN_STATE) return 'Its content counted in code that is deleted by now';
  return isKindRecord(seen) ? 'That it exists counts, not what it holds' : 'Its content counts';
}

function describeOthers(inputs: InputSummary): readonly FoundInput[] {
  const { classification, collectors, queries = {}, volatile } = inputs;
  const one = (kind: InputKind, name: string, why: string): FoundInput => ({ kind, name, pattern: null, why });
  return [
    ...(classification == null ? [] : [one('classification', 'classification', 'Classes and parameters count')]),
    ...collectors.map(({ type, query }) =>
      one('collector', `${type} ${query === null ? '(all)' : JSON.stringify(query)}`, 'What other nodes export counts'),
    ),
    ...Object.keys(queries).map((query) => one('query', query, 'The answer of the inventory counts')),
    ...volatile.map((call) => one('volatile', call, 'Each compile may have another result')),
  ];
}

/** The texts of the code that the compile read, within bounds. */
async function readTexts(
  codeId: string,
  files: Readonly<Record<string, string | null>>,
  blobs: Stores['blobs'],
): Promise<readonly ReadText[]> {
  const snapshot = await loadSnapshot(blobs, codeId).catch(() => null);
  if (snapshot === null) return [];
  let bytes = 0;
  const wanted = Object.keys(files).flatMap((file) => {
    const stored = snapshot.files[file];
    if (stored === undefined || !CODE.test(file) || stored.size > LARGEST_FILE) return [];
    bytes += stored.size;
    return bytes > MOST_BYTES ? [] : [{ file, sha256: stored.sha256 }];
  });
  return inParallel(READS_AT_ONCE, wanted.slice(0, MOST_FILES), async ({ file, sha256 }) => ({
    file,
    text: new TextDecoder().decode(await readContent(blobs, sha256)),
  }));
}
