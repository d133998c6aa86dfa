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
 * `String#inspect` of Ruby: double quotes, control and unprintable characters escaped, `#{`, `#$`
 * and `#@` too.
 */
export function inspectString(text: string): string {
  const escaped = text.replace(/#(?=[{$@])|[\p{Cn}\p{Cc}\p{Cs}\p{Zl}\p{Zp}"\\]/gu, (char) => {
    if (char === '#') return '\\#';
    return NAMED[char] ?? printCode(char.codePointAt(0) ?? 0);
  });
  return `"${escaped}"`;
}

/** `String#dump` of Ruby: like `inspect`, with all that is not ASCII escaped. */
export function dumpString(text: string): string {
  return inspectString(text).replace(/[^\0-\x7f]/gu, (char) => printCode(char.codePointAt(0) ?? 0));
}

function printCode(code: number): string {
  // Ruby counts U+0085 as printable.
  if (code === 0x85) return '\u0085';
  const hex = code.toString(16).toUpperCase();
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}
