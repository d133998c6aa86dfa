/**
 * Translates a Ruby pattern that only uses common syntax to a JavaScript pattern for flag `u`; null
 * for any other. Common patterns thereby run on the native engine; the rest needs the full
 * translator.
 */
export function translatePlainPattern(source: string): string | null {
  let out = '';
  let at = 0;
  let named = false;
  let unnamed = false;
  while (at < source.length) {
    const char = source.charAt(at);
    const token =
      char === '\\'
        ? escapeOutside(source, at)
        : char === '['
          ? characterClass(source, at)
          : char === '('
            ? groupStart(source, at)
            : readOrdinary(source, at);
    if (token === null) return null;
    if (char === '(' && token.text === '(') unnamed = true;
    if (char === '(' && token.text.endsWith('>')) named = true;
    out += token.text;
    at = token.next;
  }
  // Puppet: Ruby does not number plain groups when there are named ones.
  return named && unnamed ? null : out;
}

interface Token {
  readonly text: string;
  readonly next: number;
}

/** Word characters for Ruby's word boundaries: all of Unicode, unlike `\w`. */
const LETTER = '[\\p{L}\\p{M}\\p{N}\\p{Pc}]';

const OUTSIDE: Readonly<Record<string, string>> = {
  A: '^',
  z: '$',
  Z: '(?=\\n?$)',
  h: '[0-9a-fA-F]',
  H: '[^0-9a-fA-F]',
  s: '[\\t-\\r ]',
  S: '[^\\t-\\r ]',
  d: '\\d',
  D: '\\D',
  w: '\\w',
  W: '\\W',
  b: `(?:(?<=${LETTER})(?!${LETTER})|(?<!${LETTER})(?=${LETTER}))`,
  B: `(?:(?<=${LETTER})(?=${LETTER})|(?<!${LETTER})(?!${LETTER}))`,
  n: '\\n',
  t: '\\t',
  r: '\\r',
  f: '\\f',
  v: '\\v',
};
const INSIDE: Readonly<Record<string, string>> = {
  h: '0-9a-fA-F',
  s: '\\t-\\r ',
  d: '\\d',
  D: '\\D',
  w: '\\w',
  W: '\\W',
  n: '\\n',
  t: '\\t',
  r: '\\r',
  f: '\\f',
  v: '\\v',
};
const SYNTAX = new Set('^$\\.*+?()[]{}|/');

function escapeOutside(source: string, at: number): Token | null {
  const char = source.charAt(at + 1);
  const known = OUTSIDE[char];
  if (known !== undefined) return { text: known, next: at + 2 };
  if (char === '' || /[A-Za-z0-9]/.test(char) || char > '\x7f') return null;
  return { text: SYNTAX.has(char) ? `\\${char}` : char, next: at + 2 };
}

function characterClass(source: string, start: number): Token | null {
  let out = '[';
  let at = start + 1;
  if (source.charAt(at) === '^') {
    out += '^';
    at += 1;
  }
  if (source.charAt(at) === ']') return null;
  for (; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (char === ']') return { text: `${out}]`, next: at + 1 };
    if (char === '[' || (char === '&' && source.charAt(at + 1) === '&')) return null;
    if (char !== '\\') {
      out += char;
      continue;
    }
    at += 1;
    const escaped = classEscape(source.charAt(at));
    if (escaped === null) return null;
    out += escaped;
  }
  return null;
}

function classEscape(char: string): string | null {
  const known = INSIDE[char];
  if (known !== undefined) return known;
  if (char === '' || /[A-Za-z0-9]/.test(char) || char > '\x7f') return null;
  return SYNTAX.has(char) || char === '-' ? `\\${char}` : char;
}

function groupStart(source: string, at: number): Token | null {
  if (source.charAt(at + 1) !== '?') return { text: '(', next: at + 1 };
  const start = /\(\?(?::|=|!|<=|<!|<[A-Za-z_]\w*>)/y;
  start.lastIndex = at;
  const found = start.exec(source)?.[0];
  return found === undefined ? null : { text: found, next: at + found.length };
}

function readOrdinary(source: string, at: number): Token | null {
  const char = source.charAt(at);
  switch (char) {
    case '.':
      return { text: '[^\\n]', next: at + 1 };
    case '^':
      return { text: '(?<=^|\\n(?!$))', next: at + 1 };
    case '$':
      return { text: '(?![^\\n])', next: at + 1 };
    case '*':
    case '+':
    case '?':
      return readQuantifier(source, at, char);
    case '{':
      return readInterval(source, at);
    case '}':
    case ']':
      return { text: `\\${char}`, next: at + 1 };
    default:
      return { text: char, next: at + 1 };
  }
}

function readQuantifier(source: string, at: number, char: string): Token | null {
  const after = source.charAt(at + 1);
  if (after === '+' || after === '*') return null;
  if (after !== '?') return { text: char, next: at + 1 };
  return /[*+?]/.test(source.charAt(at + 2)) ? null : { text: `${char}?`, next: at + 2 };
}

function readInterval(source: string, at: number): Token | null {
  const shape = /\{\d+(?:,\d*)?\}\??/y;
  shape.lastIndex = at;
  const found = shape.exec(source)?.[0];
  if (found === undefined || /[*+?{]/.test(source.charAt(at + found.length))) return null;
  return { text: found, next: at + found.length };
}
