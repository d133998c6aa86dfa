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
