import type { SourceFile } from './source-files.ts';

const RAISED =
  /new (?:PuppetError|LookupError|RaisedError|RubyFault|PreformattedError|SeveralErrors)\(\s*(?:[^;{}'"`]*\?\s*)?['"`]/g;

/**
 * Where a file words an error itself instead of raising an issue of the catalogue, as `path:line`.
 * A text of Ruby's own is none when a comment `// Ruby: …` is on its line or right above.
 */
export function findInlineErrorTexts({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] {
  const lines = text.split('\n');
  return Array.from(text.matchAll(RAISED), ({ index }) => text.slice(0, index).split('\n').length)
    .filter((line) => !isMarked(lines, line - 1))
    .map((line) => `${path}:${line}`);
}

function isMarked(lines: readonly string[], index: number): boolean {
  if (lines[index]?.includes('// Ruby: ')) return true;
  for (let above = index - 1; lines[above]?.trim().startsWith('//'); above--) {
    if (lines[above]?.trim().startsWith('// Ruby: ')) return true;
  }
  return false;
}
