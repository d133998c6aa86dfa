import type { ReadPlace } from '../../puppet/environment/read-site.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { listNamedInputs, loadReaders, recallReaders } from '../dependencies/first-readers.ts';
import type { DescribedInput } from './describe-inputs.ts';
import {
  findReaders,
  type InputPattern,
  lineOfRead,
  parameterOfKey,
  type ReadingLine,
  type ReadText,
} from './find-readers.ts';

/** Search parameters for the readers of an input. */
export interface FoundReaders {
  readonly pattern: InputPattern | null;
  /** A key of data: the class that has it as a parameter is looked at before all other files. */
  readonly first?: string;
  /** A file that does not count. */
  readonly own?: string;
  /** The name by which the compile recorded its first reader. */
  readonly recorded?: string;
}

/** Finds the first reader of an input by its kind and name; null when it is not known. */
type FindFirst = (kind: DescribedInput['kind'], name: string) => ReadPlace | null;

/** Loads what the compile recorded of its first reads; `checksum` is that of the node's record. */
export async function findFirstReads(
  inputs: Parameters<typeof listNamedInputs>[0],
  { certname, checksum }: { readonly certname: string; readonly checksum: number | undefined },
  blobs: Stores['blobs'],
): Promise<FindFirst> {
  const readers = await loadReaders(blobs, certname, checksum);
  if (readers === null) return () => null;
  const names = listNamedInputs(inputs);
  const places: Readonly<Record<string, ReadonlyMap<string, ReadPlace>>> = {
    fact: recallReaders(readers, 'facts', names.facts),
    trusted: recallReaders(readers, 'trusted', names.trusted),
    data: recallReaders(readers, 'keys', names.keys),
    file: recallReaders(readers, 'files', names.files),
  };
  return (kind, name) => places[kind === 'listing' ? 'file' : kind]?.get(name) ?? null;
}

/** The input with its readers: the recorded one first, then the lines that mention it. */
export function withReaders(
  { pattern, first, own, recorded, ...input }: Omit<DescribedInput, 'readers'> & FoundReaders,
  findFirst: FindFirst,
  texts: readonly ReadText[],
  isSearched: boolean,
): DescribedInput {
  const place = recorded === undefined ? null : findFirst(input.kind, recorded);
  const exact = place && lineOfRead(texts, place, pattern);
  const mentions = isSearched ? findMentions({ pattern, first, own }, texts) : [];
  const others = mentions.filter(({ file, line }) => file !== exact?.file || line !== exact.line);
  const readers = exact === null ? mentions : [exact, ...others];
  // A parameter that is declared so is a secret, whatever its name.
  const { value, ...without } = input;
  const isSecret = readers.some(({ text }) => /\bSensitive\b/.test(text));
  return { ...(isSecret ? without : input), readers };
}

function findMentions(
  { pattern, first, own }: { readonly [Key in 'pattern' | 'first' | 'own']: FoundReaders[Key] | undefined },
  texts: readonly ReadText[],
): readonly ReadingLine[] {
  const parameter = first === undefined ? null : parameterOfKey(first);
  const declared = parameter && texts.filter(({ file }) => file.endsWith(parameter.manifest));
  const declaring = parameter && declared ? findReaders(declared, parameter.pattern).slice(0, 1) : [];
  const mentioned = pattern == null ? [] : findReaders(texts, pattern, own ?? null);
  return [...declaring, ...mentioned];
}
