import { highByte } from '../../util/escaped-bytes.ts';

const NAMED: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\f': '\\f',
  '\v': '\\v',
  '\b': '\\b',
  '\x07': '\\a',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
};

/**
 * Ruby's `String#inspect`: double quotes, with control and unprintable characters and `#{`, `#$`,
 * `#@` escaped.
 */
export function inspectString(text: string): string {
  const escaped = text.replace(/#(?=[{$@])|[\p{Cn}\p{Cc}\p{Cs}\p{Zl}\p{Zp}"\\]/gu, (char) => {
    if (char === '#') return '\\#';
    return NAMED[char] ?? printCode(char);
  });
  return `"${escaped}"`;
}

/** Ruby's `String#dump`: like `inspect`, with all non-ASCII characters escaped. */
export function dumpString(text: string): string {
  return inspectString(text).replace(/[^\0-\x7f]/gu, (char) => printCode(char));
}

function printCode(char: string): string {
  const [byte] = highByte(char) ?? [];
  if (byte !== undefined) return `\\x${byte.toString(16).toUpperCase()}`;
  const code = char.codePointAt(0) ?? 0;
  // Ruby counts U+0085 as printable.
  if (code === 0x85) return '\u0085';
  const hex = code.toString(16).toUpperCase();
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}
