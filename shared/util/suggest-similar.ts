/** Words that differ in more places are not meant. */
const MOST_EDITS = 3;
/** A share of the longer word. */
const MOST_SHARE = 0.4;

/**
 * The known word that is nearest to a misspelt one, as ` (did you mean port?)`; empty when none is
 * near.
 */
export function suggestSimilar(word: string, known: Iterable<string>): string {
  let best: string | null = null;
  let least = MOST_EDITS + 1;
  for (const candidate of known) {
    const edits = countEdits(word, candidate);
    const isNear = edits <= MOST_SHARE * Math.max(word.length, candidate.length);
    if (isNear && edits < least) [best, least] = [candidate, edits];
  }
  return best === null ? '' : ` (did you mean ${best}?)`;
}

/**
 * Insertions, deletions, replacements, and exchanges of neighbours that make one word of another.
 */
function countEdits(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > MOST_EDITS) return Number.POSITIVE_INFINITY;
  let [before, row]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + Number(from[i - 1] !== to[j - 1]);
      const isExchanged = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const exchanged = isExchanged ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced, exchanged));
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? 0;
}
