/**
 * Why Ruby would refuse `pattern`, as its message says it, or null when nothing is known against it.
 * Only what a look at the text can tell: brackets and parentheses that do not match, repetition of nothing.
 */
export function rubyRegexpProblem(pattern: string): string | null {
  try {
    new RegExp(pattern);
    return null;
  } catch {
    return scanProblem(pattern);
  }
}

function scanProblem(pattern: string): string | null {
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') at++;
    else if (char === '[') {
      const close = classEnd(pattern, at);
      if (close < 0) return `premature end of char-class: /${pattern}/`;
      at = close;
    } else if (char === '(') depth++;
    else if (char === ')' && --depth < 0) return `unmatched close parenthesis: /${pattern}/`;
    else if ((char === '*' || char === '+' || char === '?') && isOperandMissing(pattern, at)) {
      return `target of repeat operator is not specified: /${pattern}/`;
    }
  }
  return depth > 0 ? `end pattern with unmatched parenthesis: /${pattern}/` : null;
}

function isOperandMissing(pattern: string, at: number): boolean {
  const before = pattern[at - 1];
  if (before === undefined || before === '|') return pattern[at - 2] !== '\\';
  return before === '(' && pattern[at] !== '?' && pattern[at - 2] !== '\\';
}

function classEnd(pattern: string, from: number): number {
  let at = from + 1;
  if (pattern[at] === '^') at++;
  if (pattern[at] === ']') at++;
  for (; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === '[') {
      const close = classEnd(pattern, at);
      if (close < 0) return -1;
      at = close;
    } else if (pattern[at] === ']') return at;
  }
  return -1;
}
