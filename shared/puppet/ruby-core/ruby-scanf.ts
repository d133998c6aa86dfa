import { quotePattern } from '../../util/literal-pattern.ts';

/**
 * Ruby's `String#scanf`: reads a text by a format such as `%d-%5s%*c%[a-z]`. Returns the values
 * that were converted before the first mismatch.
 */
export function rubyScanf(text: string, format: string): (string | bigint | number)[] {
  const results: (string | bigint | number)[] = [];
  let rest = text;
  for (const specifier of specifiersOf(format)) {
    const start = keepsBlanks(specifier) ? rest : rest.replace(/^\s+/, '');
    const { pattern, convert } = readerOf(specifier);
    const match = new RegExp(`^(?:${pattern})`, 's').exec(start);
    if (!match) return results;
    rest = start.slice(match[0].length);
    const group = match[1] ?? '';
    if (convert && !/%\*/.test(specifier)) results.push(convert(group));
  }
  return results;
}

const SPECIFIER = /\s*%\*?\d*(?:\[\[:[a-z]+:\]\]|\[\]?[^\]]*\]|[a-zA-Z])|\s*%%|[^%\s]+|\s+(?=%\*?c)/g;

function specifiersOf(format: string): readonly string[] {
  return format.match(SPECIFIER) ?? [];
}

/**
 * Whether a specifier reads leading white space: `%c` directly behind other text, and `%[...]`. All
 * others skip it.
 */
function keepsBlanks(specifier: string): boolean {
  return /(?:^|\S)%\*?\d*c|%\*?\d*\[/.test(specifier);
}

interface Reader {
  readonly pattern: string;
  /** Converts the text that was read; null for literal text. */
  readonly convert: ((text: string) => string | bigint | number) | null;
}

const plain = (text: string): string => text;

function readerOf(specifier: string): Reader {
  const match = /%\*?(\d*)(\[.*\]|[a-zA-Z])$/s.exec(specifier);
  if (/%%$/.test(specifier)) return { pattern: '\\s*%', convert: null };
  if (!match) return { pattern: quotePattern(specifier.trim()), convert: null };
  const [, digits = '', letter = ''] = match;
  const width = digits === '' ? null : Number(digits);
  if (letter.startsWith('[')) return setReader(letter, width);
  switch (letter) {
    case 'i':
      return { pattern: `(${limitWidth('[-+]?(?:0[Xx][0-9a-fA-F]+|0[0-7]*|[1-9]\\d*)', width)})`, convert: anyInteger };
    case 'd':
    case 'u':
      return { pattern: `(${limitWidth('[-+]?\\d+', width)})`, convert: (text) => BigInt(text.replace('+', '')) };
    case 'x':
    case 'X':
      return {
        pattern: `(${limitWidth('[-+]?(?:0[Xx])?[0-9a-fA-F]+', width)})`,
        convert: (text) => inBase(text, '0x'),
      };
    case 'o':
      return { pattern: `(${limitWidth('[-+]?[0-7]+', width)})`, convert: (text) => inBase(text, '0o') };
    case 'c':
      return {
        pattern: `${/^\s/.test(specifier) ? '\\s*' : ''}(.${width === null ? '' : `{1,${width}}`})`,
        convert: plain,
      };
    case 's':
      return { pattern: `(\\S${width === null ? '+' : `{1,${width}}`})`, convert: plain };
    default:
      return { pattern: `(${limitWidth(FLOAT, width)})`, convert: Number.parseFloat };
  }
}

const FLOAT = '[-+]?(?:\\d+(?![\\d.eE])|\\d*\\.\\d*(?:[eE][-+]?\\d+)?|\\d+[eE][-+]?\\d+)';

/** Limits what `pattern` matches to `width` characters. */
function limitWidth(pattern: string, width: number | null): string {
  return width === null ? pattern : `(?=${pattern})[-+0-9a-fA-FxX.]{1,${width}}`;
}

function setReader(set: string, width: number | null): Reader {
  const posix = /^\[\[:([a-z]+):\]\]$/.exec(set)?.[1];
  const inside = posix === undefined ? set : (POSIX[posix] ?? '[]');
  return { pattern: `(${inside}${width === null ? '+' : `{1,${width}}`})`, convert: plain };
}

const POSIX: Readonly<Record<string, string>> = {
  alpha: '[A-Za-z]',
  digit: '\\d',
  alnum: '[A-Za-z0-9]',
  upper: '[A-Z]',
  lower: '[a-z]',
  space: '\\s',
  punct: '[!-/:-@[-`{-~]',
  xdigit: '[0-9a-fA-F]',
};

function anyInteger(text: string): bigint {
  return /^[-+]?0[0-7]/.test(text) ? inBase(text, '0o') : inBase(text, '');
}

function inBase(text: string, prefix: string): bigint {
  const digits = text.replace(/^[-+]/, '');
  const bare = prefix === '0x' ? digits.replace(/^0[xX]/, '') : digits;
  const value = BigInt(prefix + bare);
  return text.startsWith('-') ? -value : value;
}
