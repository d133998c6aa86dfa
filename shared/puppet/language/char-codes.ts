/**
 * 1 for the codes of `[A-Za-z0-9_]`, else 0 or undefined. Hot loops read this table instead of
 * calling `isWord`.
 */
export const WORD = new Uint8Array(128);
const LOWER = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code);
  if (/\w/.test(char)) WORD[code] = 1;
  if (/[a-z_]/.test(char)) LOWER[code] = 1;
}

/** Whether a character matches `[A-Za-z0-9_]`. */
export function isWord(code: number): boolean {
  return code < 128 && WORD[code] === 1;
}

/** Whether a character matches `[a-z_]`. */
export function isBareWordStart(code: number): boolean {
  return code < 128 && LOWER[code] === 1;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

export function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}

/** Whether a character matches Ruby's `[[:blank:]]`: tab and every space separator. */
export function isBlank(code: number): boolean {
  if (code === 32 || code === 9) return true;
  if (code < 160) return false;
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

/** Whether a character is a word character to Ruby's `\b`: a letter or digit of any script. */
export function isWordInAnyScript(code: number): boolean {
  if (code < 128) return isWord(code);
  return /[\p{L}\p{M}\p{N}\p{Pc}]/u.test(String.fromCodePoint(code));
}
