import { PuppetError } from '../errors/puppet-error.ts';

/**
 * Called for an unrecognized escape, with the character behind the backslash; null for a malformed
 * `\u`.
 */
type EscapeWarning = (char: string | null) => void;

const UNICODE = /((?:[^\\]|^)(?:\\{2})*)\\u(?:([\da-fA-F]{4})|\{([\da-fA-F]{1,6})\})/gm;
const ESCAPE = /\\([^\r\n]|\r?\n)/gu;

export const DOUBLE_QUOTED_ESCAPES: ReadonlySet<string> = new Set([
  ...['\\', '$', "'", '"', 'r', 'n', 't', 's', 'u'],
  ...['\r\n', '\n'],
]);

/** Unescapes the text of a single-quoted string. */
export function unescapeSingleQuoted(text: string): string {
  return text.includes('\\') ? text.replace(/\\([\\'])/g, '$1') : text;
}

/** Replaces the escapes in `text` that `escapes` lists. Other escapes are kept and reported. */
export function unescapeText(text: string, escapes: ReadonlySet<string>, warn: EscapeWarning): string {
  if (!text.includes('\\')) return text;
  const plain = escapes.has('u') ? unescapeUnicode(text) : text;
  return plain.replace(ESCAPE, (whole, char: string) => {
    if (!escapes.has(char)) {
      warn(char);
      return whole;
    }
    return unescapeCharacter(char, warn);
  });
}

function unescapeCharacter(char: string, warn: EscapeWarning): string {
  switch (char) {
    case 'r':
      return '\r';
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 's':
      return ' ';
    case 'u':
      warn(null);
      return '\\u';
    case '\n':
    case '\r\n':
      return '';
    default:
      return char;
  }
}

/** Repeats until nothing changes, because adjacent escapes share the character between them. */
function unescapeUnicode(text: string): string {
  let current = text;
  for (;;) {
    const next = current.replace(UNICODE, (_whole, before: string, four?: string, braced?: string) => {
      return before + unicodeCharacter(Number.parseInt(four ?? braced ?? '', 16));
    });
    if (next === current) return current;
    current = next;
  }
}

function unicodeCharacter(code: number): string {
  // Ruby: String#encode
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new PuppetError('invalid byte sequence in UTF-8');
  return String.fromCodePoint(code);
}
