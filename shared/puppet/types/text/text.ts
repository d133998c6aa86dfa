const SURROGATE = /[\ud800-\udfff]/;

/** The number of characters (code points) in a text. */
export function characterCount(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * Capitalizes each segment: `file::line` becomes `File::Line`. A name that starts with a capital is
 * returned unchanged.
 */
export function capitalizeSegments(name: string): string {
  if (/^[A-Z]/m.test(name)) return name;
  return capitalizeEach(name);
}

/** The segments of a name in lower case, each with a capital letter. */
export function capitalizeEach(name: string): string {
  const capitalize = (segment: string) => segment.charAt(0).toUpperCase() + segment.slice(1).toLowerCase();
  return name.split('::').map(capitalize).join('::');
}

/** Puts `a` or `an` before a word. */
export function addArticle(word: string): string {
  const first = /^["']?(.)/s.exec(word)?.[1] ?? '';
  return `${/[aeiouy]/i.test(first) ? 'an' : 'a'} ${word}`;
}

const DOUBLE_QUOTED: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '"': '\\"',
  $: '\\$',
  '\\': '\\\\',
};

/**
 * The text as a Puppet literal: single-quoted, unless it has control characters. Puppet:
 * StringConverter#puppet_quote.
 */
export function puppetQuote(text: string, doubleQuotes = false): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what decides
  if (doubleQuotes || /[\x00-\x1f]/.test(text)) return puppetDoubleQuote(text);
  // Puppet: backslashes stay unchanged; a quote is escaped unless it already is.
  return `'${text.replace(/\\[\s\S]|'/g, (part) => (part === "'" ? "\\'" : part))}'`;
}

function puppetDoubleQuote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are escaped
  const body = text.replace(/[\x00-\x1f"$\\]/g, (char) => {
    return DOUBLE_QUOTED[char] ?? `\\u{${char.charCodeAt(0).toString(16).toUpperCase()}}`;
  });
  return `"${body}"`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\u0007': '\\a',
  '\b': '\\b',
  '\u001b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
};

/** The text in the form of Ruby's `String#inspect`. */
export function inspectText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are escaped
  const body = text.replace(/[\x00-\x1f"\\\x7f]|#(?=[{$@])/g, (char) => {
    if (char === '#') return '\\#';
    return ESCAPES[char] ?? `\\x${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return `"${body}"`;
}
