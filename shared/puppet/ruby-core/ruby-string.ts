/**
 * Ruby's String methods where they differ from JavaScript's: a character is a code point, and
 * white space is Ruby's.
 */

export function hasMoreThanAscii(text: string): boolean {
  return /[\u0080-\uffff]/.test(text);
}

export function splitCharacters(text: string): string[] {
  return Array.from(text);
}

export function upcaseText(text: string): string {
  return text.toUpperCase();
}

/** Lower case. Ruby ignores context: Σ becomes σ also at the end of a word. */
export function downcaseText(text: string): string {
  return text.replaceAll('Σ', 'σ').toLowerCase();
}

export function capitalizeText(text: string): string {
  const [first = '', ...rest] = splitCharacters(text);
  const upper = first.toUpperCase();
  const title = [...upper].length > 1 ? upper.charAt(0) + upper.slice(1).toLowerCase() : upper;
  return title + downcaseText(rest.join(''));
}

/** The text without one trailing line end. */
export function chompText(text: string): string {
  return text.replace(/(?:\r\n|\n|\r)$/, '');
}

/** The text without its last character; `\r\n` counts as one. */
export function chopText(text: string): string {
  return text.endsWith('\r\n') ? text.slice(0, -2) : splitCharacters(text).slice(0, -1).join('');
}

export function lstripText(text: string): string {
  let start = 0;
  while (isBlank(text.charCodeAt(start))) start += 1;
  return text.slice(start);
}

export function rstripText(text: string): string {
  let end = text.length;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function stripText(text: string): string {
  return rstripText(lstripText(text));
}

/** Whether a character code is NUL, tab to carriage return, or space. */
function isBlank(code: number): boolean {
  return code === 0 || (code >= 9 && code <= 13) || code === 32;
}

/** Ruby's `<=>` of strings: compares UTF-8 bytes, which is the order of code points. */
export function compareStrings(left: string, right: string): -1 | 0 | 1 {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a === b) continue;
    const bothSurrogates = isSurrogate(a) === isSurrogate(b);
    return (bothSurrogates ? a < b : isSurrogate(b)) ? -1 : 1;
  }
  if (left.length === right.length) return 0;
  return left.length < right.length ? -1 : 1;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** Ruby's `String#casecmp`: compares ASCII letters as lower case. */
export function compareIgnoringCase(left: string, right: string): -1 | 0 | 1 {
  return compareStrings(asciiDowncase(left), asciiDowncase(right));
}

function asciiDowncase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
