/**
 * Matches a file name against a shell pattern as Ruby's `File.fnmatch?` does without flags: `*`, `?`, `[a-z]`, `[!a]`,
 * `\` before a character; a leading dot is matched by a dot only.
 */
export function fileNameMatches(pattern: string, name: string): boolean {
  if (name.startsWith('.') && !/^\\?\./.test(pattern)) return false;
  return patternOf(pattern).test(name);
}

function patternOf(pattern: string): RegExp {
  const source = pattern.replace(/\\(.)|\[([!^]?)((?:\\.|[^\]\\])+)\]|[\s\S]/gu, (token, escaped, negation, set) => {
    if (escaped !== undefined) return escapeCharacter(escaped);
    if (set !== undefined) return `[${negation ? '^' : ''}${set.replace(/[[\]^]/g, '\\$&')}]`;
    if (token === '*') return '[\\s\\S]*';
    if (token === '?') return '[\\s\\S]';
    return escapeCharacter(token);
  });
  return new RegExp(`^${source}$`, 'u');
}

function escapeCharacter(character: string): string {
  return /[\^$\\.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
