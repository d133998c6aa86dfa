/**
 * Character classes that are limited to ASCII in Ruby's patterns. Other engines of this syntax
 * extend them to Unicode.
 */
const MEMBERS: Readonly<Record<string, string>> = { w: 'a-zA-Z0-9_', d: '0-9', s: '\\t-\\r ' };

/**
 * Expands `\w`, `\d`, `\s` and their opposites in a pattern. Ruby: regparse.c, for patterns without
 * the option `u`.
 */
export function withAsciiClasses(source: string): string {
  let depth = 0;
  let out = '';
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (char === '\\') {
      at += 1;
      out += asciiClass(source.charAt(at), depth > 0);
      continue;
    }
    out += char;
    if (char === '[') {
      depth += 1;
      // A bracket in first position is a member.
      const first = /^\^?\]/.exec(source.slice(at + 1, at + 3))?.[0] ?? '';
      out += first;
      at += first.length;
    } else if (char === ']' && depth > 0) {
      depth -= 1;
    }
  }
  return out;
}

function asciiClass(char: string, isInClass: boolean): string {
  const members = MEMBERS[char];
  if (members !== undefined) return isInClass ? members : `[${members}]`;
  const excluded = char === char.toUpperCase() ? MEMBERS[char.toLowerCase()] : undefined;
  return excluded === undefined ? `\\${char}` : `[^${excluded}]`;
}
