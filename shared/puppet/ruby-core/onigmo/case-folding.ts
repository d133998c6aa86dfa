/** Unicode case folding of characters; `ß` folds to `ss`. */

/** Ranges of the characters that fold to more than one character. */
const LONG_FOLDS: readonly (readonly [from: number, to: number])[] = [
  [0xdf, 0xdf],
  [0x149, 0x149],
  [0x1f0, 0x1f0],
  [0x390, 0x390],
  [0x3b0, 0x3b0],
  [0x587, 0x587],
  [0x1e96, 0x1e9e],
  [0x1f50, 0x1ffc],
  [0xfb00, 0xfb17],
];

/** The character that represents all its case variants. */
export function foldCharacter(code: number): number {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code + 32 : code;
  const text = String.fromCodePoint(code);
  const upper = text.toUpperCase();
  const lower = ([...upper].length === 1 ? upper : text).toLowerCase();
  return [...lower].length === 1 ? (lower.codePointAt(0) ?? code) : code;
}

/** The folding of `text` to several characters; undefined when it folds to one. */
function longFold(code: number): readonly number[] | undefined {
  const upper = [...(code === 0x1e9e ? 'SS' : String.fromCodePoint(code).toUpperCase())];
  return upper.length > 1 ? upper.map((char) => foldCharacter(char.codePointAt(0) ?? 0)) : undefined;
}

let table: ReadonlyMap<number, readonly number[]> | undefined;

function longFolds(): ReadonlyMap<number, readonly number[]> {
  table ??= new Map(
    LONG_FOLDS.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index)).flatMap(
      (code) => {
        const fold = longFold(code);
        return fold ? [[code, fold] as const] : [];
      },
    ),
  );
  return table;
}

export function longFoldOf(code: number): readonly number[] | undefined {
  return code < 0x80 ? undefined : longFolds().get(code);
}

/**
 * Finds characters whose folding occurs at `start` of a folded text. The key is the number of
 * folded characters, the value tests for those characters.
 */
export function longFoldsAt(folded: readonly number[], start: number): ReadonlyMap<number, (code: number) => boolean> {
  const found = new Map<number, (code: number) => boolean>();
  for (const length of [3, 2]) {
    const wanted = folded.slice(start, start + length);
    const codes = [...longFolds()]
      .filter(([, fold]) => fold.length === length && fold.every((each, index) => each === wanted[index]))
      .map(([code]) => code);
    if (codes.length > 0) found.set(length, (code) => codes.includes(code));
  }
  return found;
}
