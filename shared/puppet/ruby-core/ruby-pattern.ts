/** `String#split`, `sub` and `gsub` of Ruby with a regular expression (string.c). */

import { checkElementCount, checkTextLength } from '../errors/value-limits.ts';

/** A pattern that can search from an offset: JavaScript with flag `g`. */
function toSearchable(pattern: RegExp): RegExp {
  if (pattern.global) return pattern;
  // Keep the subclass: it emulates features that JavaScript lacks.
  const Same = pattern.constructor as new (source: RegExp, flags: string) => RegExp;
  return new Same(pattern, `${pattern.flags}g`);
}

/** The parts between matches, with the groups of each match; trailing empty parts are dropped. */
export function splitByPattern(text: string, pattern: RegExp): string[] {
  const search = toSearchable(pattern);
  const parts: string[] = [];
  let begin = 0;
  let start = 0;
  let afterEmpty = false;
  for (let match = searchFrom(search, text, start); match; match = searchFrom(search, text, start)) {
    const end = match.index + match[0].length;
    if (start === end && match[0] === '') {
      if (!afterEmpty) {
        start += start >= text.length ? 1 : characterLength(text, start);
        afterEmpty = true;
        continue;
      }
      parts.push(text.slice(begin, start));
      begin = start;
    } else {
      parts.push(text.slice(begin, match.index));
      begin = end;
      start = end;
    }
    afterEmpty = false;
    checkElementCount(parts.push(...groupsOf(match)));
  }
  if (text.length > begin) parts.push(text.slice(begin));
  while (parts.at(-1) === '') parts.pop();
  return parts;
}

function groupsOf(match: RegExpExecArray): string[] {
  return match.slice(1).filter((group): group is string => group !== undefined);
}

function searchFrom(pattern: RegExp, text: string, start: number): RegExpExecArray | null {
  if (start > text.length) return null;
  pattern.lastIndex = start;
  return pattern.exec(text);
}

function characterLength(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

export type Replacement = (match: RegExpExecArray) => string;

export function subPattern(text: string, pattern: RegExp, replacement: Replacement): string {
  const match = searchFrom(toSearchable(pattern), text, 0);
  if (!match) return text;
  return text.slice(0, match.index) + replacement(match) + text.slice(match.index + match[0].length);
}

export function gsubPattern(text: string, pattern: RegExp, replacement: Replacement): string {
  const search = toSearchable(pattern);
  let out = '';
  let copied = 0;
  let start = 0;
  for (let match = searchFrom(search, text, start); match; match = searchFrom(search, text, start)) {
    const end = match.index + match[0].length;
    out += text.slice(copied, match.index) + replacement(match);
    checkTextLength(out.length);
    copied = end;
    start = match[0] === '' ? end + (end < text.length ? characterLength(text, end) : 1) : end;
  }
  return out + text.slice(copied);
}

/**
 * Compiles a replacement text. `\0` and `\&` are the match, `\1`..`\9` and `\k<name>` are groups.
 * `` \` `` and `\'` are the text before and behind the match, `\\` is a backslash.
 */
export function replacementText(template: string): Replacement {
  if (!template.includes('\\')) return () => template;
  return (match) =>
    template.replace(/\\(?:k<([^>]*)>|([\s\S]))/g, (whole, name: string | undefined, char: string | undefined) =>
      name === undefined ? expandEscape(whole, char ?? '', match) : expandNamed(name, match),
    );
}

function expandEscape(whole: string, char: string, match: RegExpExecArray): string {
  // Ruby: in a pattern with named groups, groups have no numbers.
  if (/[1-9]/.test(char)) return match.groups ? '' : (match[Number(char)] ?? '');
  if (char === '0') return match[0];
  switch (char) {
    case '&':
      return match[0];
    case '`':
      return match.input.slice(0, match.index);
    case "'":
      return match.input.slice(match.index + match[0].length);
    case '\\':
      return '\\';
    default:
      return whole;
  }
}

/** Thrown for `\k<name>` when the pattern has no such group. */
export class UndefinedGroupError extends Error {}

function expandNamed(name: string, match: RegExpExecArray): string {
  if (/^\d+$/.test(name)) return match[Number(name)] ?? '';
  if (!match.groups || !(name in match.groups))
    throw new UndefinedGroupError(`undefined group name reference: ${name}`);
  return match.groups[name] ?? '';
}
