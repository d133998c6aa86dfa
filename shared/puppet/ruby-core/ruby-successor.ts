/**
 * Ruby's `String#succ` of letters and digits: `ba` follows `az`, `AAa` follows `Zz`, `b0` follows
 * `a9`.
 */
function rubySuccessor(text: string): string {
  if (text === '') return '';
  const characters = [...text];
  const alphanumeric = /[A-Za-z0-9]/;
  if (!alphanumeric.test(text))
    return text.slice(0, -1) + String.fromCodePoint((text.codePointAt(text.length - 1) ?? 0) + 1);
  let last = -1;
  for (let index = characters.length - 1; index >= 0; index -= 1) {
    const char = characters[index] ?? '';
    if (!alphanumeric.test(char)) {
      if (last >= 0) break;
      continue;
    }
    last = index;
    const next = WRAPS[char];
    if (next === undefined) {
      characters[index] = String.fromCharCode(char.charCodeAt(0) + 1);
      return characters.join('');
    }
    characters[index] = next;
  }
  const wrapped = characters[last] ?? '';
  characters.splice(last, 0, wrapped === '0' ? '1' : wrapped);
  return characters.join('');
}

const WRAPS: Readonly<Record<string, string>> = { z: 'a', Z: 'A', '9': '0' };

const DIGITS = /^\d+$/;

/** Ruby's `(first..last).to_a` of strings. Ends at `last`, or before a text longer than `last`. */
export function rubySuccessors(first: string, last: string, limit: number): string[] {
  const values: string[] = [];
  if (first > last && !(DIGITS.test(first) && DIGITS.test(last) && first.length < last.length)) return values;
  const end = rubySuccessor(last);
  for (let value = first; value !== end && values.length < limit; value = rubySuccessor(value)) {
    // `first` may be longer than `last`.
    if (value.length > last.length && values.length > 0) break;
    values.push(value);
    if (value === last) break;
  }
  return values;
}
