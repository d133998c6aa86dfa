/** One step of a shell pattern: any run of characters (`*`), or a test of one character. */
type Step = '*' | ((character: string) => boolean);

/**
 * Matches a file name against a shell pattern as Ruby's `File.fnmatch?` does without flags.
 * Supports `*`, `?`, `[a-z]`, `[!a]`, and `\` before a character. Only a literal dot matches a
 * leading dot. The running time is at most proportional to the product of both lengths.
 */
export function fileNameMatches(pattern: string, name: string): boolean {
  if (name.startsWith('.') && !/^\\?\./.test(pattern)) return false;
  const steps = stepsOf(pattern);
  const characters = [...name];
  let at = 0;
  let step = 0;
  // The step of the last `*`, and where its current attempt ends. Backtracking to the last `*` is
  // sufficient.
  let star = -1;
  let taken = 0;
  while (at < characters.length) {
    const current = steps[step];
    if (current === '*') {
      star = step;
      taken = at;
      step += 1;
    } else if (current?.(characters[at] ?? '')) {
      step += 1;
      at += 1;
    } else if (star >= 0) {
      taken += 1;
      step = star + 1;
      at = taken;
    } else {
      return false;
    }
  }
  return steps.slice(step).every((rest) => rest === '*');
}

function stepsOf(pattern: string): readonly Step[] {
  const tokens = pattern.matchAll(/\\([\s\S])|\[([!^]?)((?:\\[\s\S]|[^\]\\])*)\]|[\s\S]/gu);
  return [...tokens].map(([token, escaped, negation, set]): Step => {
    if (set !== undefined) return inSet(set, negation !== '');
    if (token === '*') return '*';
    if (token === '?') return () => true;
    // Ruby: a set without its end matches nothing, dir.c (bracket)
    if (token === '[') return () => false;
    return (character) => character === (escaped ?? token);
  });
}

/**
 * Tests for characters and ranges of a set. A range with its ends in the wrong order matches both
 * ends.
 */
function inSet(set: string, isNegated: boolean): (character: string) => boolean {
  const ranges = [...set.matchAll(/(?:\\([\s\S])|([\s\S]))(?:-(?:\\([\s\S])|([\s\S])))?/gu)].map(
    ([, escaped, plain, escapedEnd, plainEnd]) => {
      const first = escaped ?? plain ?? '';
      return [first, escapedEnd ?? plainEnd ?? first] as const;
    },
  );
  return (character) =>
    ranges.some(([first, last]) => character === first || character === last || isBetween(first, character, last)) !==
    isNegated;
}

function isBetween(first: string, character: string, last: string): boolean {
  const point = codePoint(character);
  return codePoint(first) <= point && point <= codePoint(last);
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
