import { posix } from 'node:path';
import { quotePattern } from '../../util/literal-pattern.ts';

/** The file access that globbing needs from an environment. */
interface Listable {
  kindOf(path: string): 'file' | 'directory' | null;
  list(path: string): readonly string[] | null;
}

/**
 * Absolute paths that match `pattern`, as Ruby's Dir.glob finds them. Supports `*`, `?`, `[set]`,
 * `{a,b}`, and a double asterisk for any depth. A name with a leading dot only matches a pattern
 * with a leading dot. A pattern with a trailing slash matches folders only. Results are sorted
 * within each alternative of braces.
 */
export function globPaths(pattern: string, files: Listable): readonly string[] {
  return expandBraces(pattern).flatMap((single) => {
    const segments = posix
      .normalize(single)
      .split('/')
      .filter((segment) => segment !== '');
    const found = match('/', segments, files);
    return single.endsWith('/') ? found.filter((path) => files.kindOf(path) === 'directory') : found;
  });
}

function match(folder: string, segments: readonly string[], files: Listable): readonly string[] {
  const [segment, ...rest] = segments;
  if (segment === undefined) return [folder];
  if (segment === '**' && rest.length > 0) {
    const below = visibleFolders(folder, files).flatMap((name) => match(posix.join(folder, name), segments, files));
    return [...match(folder, rest, files), ...below].sort();
  }
  if (!/[*?[\\]/.test(segment)) {
    const path = posix.join(folder, segment);
    if (rest.length > 0) return match(path, rest, files);
    return files.kindOf(path) === null ? [] : [path];
  }
  const names = (files.list(folder) ?? []).filter((name) => matchesSegment(name, segment));
  return names.flatMap((name) => {
    const path = posix.join(folder, name);
    if (rest.length === 0) return [path];
    return files.kindOf(path) === 'directory' ? match(path, rest, files) : [];
  });
}

function visibleFolders(folder: string, files: Listable): readonly string[] {
  const names = files.kindOf(folder) === 'directory' ? (files.list(folder) ?? []) : [];
  return names.filter((name) => !name.startsWith('.') && files.kindOf(posix.join(folder, name)) === 'directory');
}

function matchesSegment(name: string, segment: string): boolean {
  if (name.startsWith('.') && !segment.startsWith('.')) return false;
  return new RegExp(`^${segmentPattern(segment)}$`, 'us').test(name);
}

function segmentPattern(segment: string): string {
  return segment.replace(/\*+|\?|\[([!^]?)([^\]]+)\]|\\(.)|[^*?[\\]+|\[/gs, (part, negated, set, escaped) => {
    if (part.startsWith('*')) return '.*';
    if (part === '?') return '.';
    if (set !== undefined) return `[${negated ? '^' : ''}${setPattern(set)}]`;
    return quotePattern(escaped ?? part);
  });
}

/** Puppet: in Ruby a range with its ends in the wrong order matches both ends, dir.c */
function setPattern(set: string): string {
  const quote = (character: string): string => character.replace(/[\\^[\]-]/, '\\$&');
  return set.replace(/(.)-(.)|./gsu, (one, from?: string, to?: string) => {
    if (from === undefined || to === undefined) return quote(one);
    return `${quote(from)}${from <= to ? '-' : ''}${quote(to)}`;
  });
}

function expandBraces(pattern: string): readonly string[] {
  const open = pattern.indexOf('{');
  if (open < 0) return [pattern];
  const alternatives: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '{') depth += 1;
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
