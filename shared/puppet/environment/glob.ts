import { posix } from 'node:path';
import { fileNameMatches } from '../ruby-core/file-name-match.ts';

/** The file access that globbing needs from an environment or a tree. */
interface Globbed {
  kindOf(path: string): 'file' | 'directory' | null;
  /** Names in a folder, those of links without a target too; null for no folder. */
  list(path: string): readonly string[] | null;
  isLink(path: string): boolean;
}

/** A part of a pattern between slashes. */
type Part = '**' | { readonly name: string; readonly isPlain: boolean };

/** The parts that are still to match below a path. `isFolder`: the pattern ends in a slash. */
interface Rest {
  readonly parts: readonly Part[];
  readonly isFolder: boolean;
}

/**
 * Absolute, normal paths that match `pattern`, in the order of Ruby's Dir.glob: names sorted by
 * their bytes, a folder before what is in it, those of each alternative of braces by themselves.
 * Supports `*`, `?`, `[set]`, `\`, `{a,b}`, and `**` for any depth. Only a literal dot matches a
 * leading dot. `**` enters no hidden folder and no link; other parts follow links. A link without a
 * target matches, unless the pattern ends in a slash. Ruby: dir.c (glob_helper)
 */
export function globPaths(pattern: string, files: Globbed): readonly string[] {
  return expandBraces(pattern).flatMap((single) => {
    const isFolder = single.endsWith('/');
    const segments = posix.normalize(single).split('/').filter(Boolean);
    const parts = isFolder ? [...segments, ''].map(readPart).slice(0, -1) : segments.map(readPart);
    return matchBelow('/', [{ parts: parts.filter(isFirstOfRow), isFolder }], files);
  });
}

/** The files below `folder` whose names end in `extension`, as Puppet's `**`/`*` finds them. */
export function globBelow(folder: string, extension: string, files: Globbed): readonly string[] {
  const any: Part = { name: '*', isPlain: false };
  const found = matchBelow(folder, [{ parts: ['**', any], isFolder: false }], files);
  return found.filter((path) => path.endsWith(extension));
}

/** Compares texts by their bytes in UTF-8, as Ruby sorts. */
export function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function readPart(segment: string, index: number, segments: readonly string[]): Part {
  if (segment === '**' && index < segments.length - 1) return '**';
  const isPlain = !/[*?[]/.test(segment);
  return { name: isPlain ? segment.replace(/\\(.)/gsu, '$1') : segment, isPlain };
}

/** Several `**` in a row are one. */
function isFirstOfRow(part: Part, index: number, parts: readonly Part[]): boolean {
  return part !== '**' || parts[index - 1] !== '**';
}

function matchBelow(path: string, rests: readonly Rest[], files: Globbed): readonly string[] {
  const isFound = rests.some((rest) => isWhole(rest) && isThere(path, rest.isFolder, files));
  const open = rests.filter(({ parts }) => parts.length > 0);
  return [...(isFound ? [path] : []), ...(open.length > 0 ? descend(path, open, files) : [])];
}

/** Whether a pattern may end here: a last `**` stands for no folder, too. */
function isWhole({ parts }: Rest): boolean {
  return parts.every((part) => part === '**');
}

function isThere(path: string, isFolder: boolean, files: Globbed): boolean {
  const kind = files.kindOf(path);
  return isFolder ? kind === 'directory' : kind !== null || files.isLink(path);
}

function descend(path: string, rests: readonly Rest[], files: Globbed): readonly string[] {
  const names = rests.every(({ parts: [part] }) => part !== '**' && part?.isPlain)
    ? new Set(rests.flatMap(({ parts: [part] }) => (part === undefined || part === '**' ? [] : part.name)))
    : listNames(path, rests, files);
  return [...names].flatMap((name) => {
    const below = posix.join(path, name);
    const next = rests.flatMap((rest) => advance(rest, name, below, files));
    return next.length > 0 ? matchBelow(below, next, files) : [];
  });
}

function listNames(path: string, rests: readonly Rest[], files: Globbed): readonly string[] {
  const names = [...(files.list(path) ?? [])].sort(compareBytes);
  // Ruby: `.*` matches the folder itself, but no `**` before it does.
  return rests.some(({ parts }) => parts[0] === '**') || names.length === 0 ? names : ['.', ...names];
}

/** The rest of a pattern that goes on with the entry `name`; empty when it does not match. */
function advance(rest: Rest, name: string, path: string, files: Globbed): readonly Rest[] {
  const isDeep = rest.parts[0] === '**';
  const [part, ...parts] = isDeep ? rest.parts.slice(1) : rest.parts;
  const stays =
    isDeep && !name.startsWith('.') && files.kindOf(path) === 'directory' && !files.isLink(path) ? [rest] : [];
  if (part === undefined || part === '**') return stays;
  const isMatch = part.isPlain ? part.name === name : fileNameMatches(part.name, name);
  return isMatch ? [...stays, { ...rest, parts }] : stays;
}

function expandBraces(pattern: string): readonly string[] {
  const brace = /(?<!\\)(?:\\\\)*\{/.exec(pattern);
  if (!brace) return [pattern];
  const open = brace.index + brace[0].length - 1;
  const alternatives: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    if ((character === ',' && depth === 1) || depth === 0) {
      alternatives.push(pattern.slice(start, at));
      start = at + 1;
    }
    if (depth === 0) {
      const tail = pattern.slice(at + 1);
      return alternatives.flatMap((item) => expandBraces(pattern.slice(0, open) + item + tail));
    }
  }
  return [pattern];
}
