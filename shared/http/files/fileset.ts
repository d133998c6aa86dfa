import { fileNameMatches } from '../../puppet/ruby-core/file-name-match.ts';
import { internalServerError } from '../exchange/answers.ts';
import type { QueryParameters } from '../exchange/ruby-parameters.ts';

/** Search options: the parameters of `file_metadatas`. */
export interface SearchOptions {
  readonly recurse: boolean;
  /** Levels below the base; Infinity without a limit. */
  readonly recurseLimit: number;
  /** Shell patterns of excluded names; everything below them is excluded too. */
  readonly ignore: readonly string[];
  /** A search with more results fails; 0 or less: no limit. */
  readonly maxFiles: number;
}

/** A file or folder of the result; `relative` is `.` for the base. */
export interface FoundPath {
  readonly base: string;
  readonly relative: string;
}

/** Names in a folder; null when it is not a folder. */
type ListFolder = (path: string) => readonly string[] | null;

/**
 * Lists the paths below `base` by level, the base first: lib/puppet/file_serving/fileset.rb.
 * Refuses more than `maxFiles`.
 */
export function listFileset(list: ListFolder, base: string, options: SearchOptions): readonly FoundPath[] {
  const found: string[] = [];
  let level: readonly string[] = [''];
  for (let depth = 1; options.recurse && depth <= options.recurseLimit && level.length > 0; depth += 1) {
    level = level.flatMap((relative) => listChildren(list, base, relative, options.ignore));
    found.push(...level);
  }
  if (options.maxFiles > 0 && found.length > options.maxFiles) throw tooMany(base, found.length, options.maxFiles);
  return ['.', ...found].map((relative) => ({ base, relative }));
}

/** Merges filesets: of files with the same relative path, the first wins. */
export function mergeFilesets(filesets: readonly (readonly FoundPath[])[]): readonly FoundPath[] {
  const merged = new Map<string, FoundPath>();
  for (const found of filesets.flat()) {
    if (!merged.has(found.relative)) merged.set(found.relative, found);
  }
  return [...merged.values()];
}

/** Reads the parameters of a search; refuses invalid numbers in Ruby's words. */
export function readSearchOptions(parameters: QueryParameters): SearchOptions {
  const recurse = parameters.getValue('recurse') ?? false;
  if (typeof recurse === 'number') {
    throw internalServerError('Fileset recurse parameter must not be a number anymore, please use recurselimit');
  }
  const recurseLimit = parameters.getValue('recurselimit') ?? Number.POSITIVE_INFINITY;
  if (typeof recurseLimit !== 'number') throw internalServerError('comparison of Integer with String failed');
  const maxFiles = parameters.getText('max_files') === '-1' ? -1 : (parameters.getValue('max_files') ?? 0);
  if (typeof maxFiles !== 'number') throw internalServerError('comparison of String with 0 failed');
  return { recurse: recurse !== false, recurseLimit, ignore: parameters.getTexts('ignore'), maxFiles };
}

function listChildren(list: ListFolder, base: string, relative: string, ignore: readonly string[]): readonly string[] {
  const names = list(relative === '' ? base : `${base}/${relative}`) ?? [];
  return names
    .filter((name) => !ignore.some((pattern) => fileNameMatches(pattern, name)))
    .map((name) => (relative === '' ? name : `${relative}/${name}`));
}

function tooMany(base: string, entries: number, maximum: number) {
  return internalServerError(
    `The directory '${base}' contains ${entries} entries, which exceeds the limit of ${maximum} specified by the ` +
      'max_files parameter for this resource. The limit may be increased, but be aware that large number of file ' +
      'resources can result in excessive resource consumption and degraded performance. Consider using an alternate ' +
      'method to manage large directory trees',
  );
}
