import { RubyError } from './ruby-error.ts';

/** The method that Ruby compiles a template to (`side/template.rb`). */
const RENDERING = /:in [`'](?:.* in )?__render_\d+__'$/;
const MOST_CAUSES = 20;
const MOST_CHARACTERS = 2000;

/**
 * The lines of module Ruby that an error comes from, innermost first: `PATH:LINE:in 'NAME'`, or the
 * place alone of code that does not load. Paths are relative to `root`. Empty for an error that no
 * Ruby code raised.
 */
export function rubyBacktraceOf(error: unknown, root: string): readonly string[] {
  const found = findRubyError(error);
  if (found === null) return [];
  const { frames } = found.traits;
  const lines = frames.length === 0 && found.file !== null ? [`${found.file}:${found.line ?? 0}`] : frames;
  const kept: string[] = [];
  let characters = 0;
  for (const line of lines) {
    const place = line.startsWith(`${root}/`) ? line.slice(root.length + 1) : line;
    const text = place.replace(RENDERING, '').replace(/\p{Cc}/gu, ' ');
    characters += text.length;
    if (characters > MOST_CHARACTERS) break;
    kept.push(text);
  }
  return kept;
}

function findRubyError(error: unknown): RubyError | null {
  let at = error;
  for (let depth = 0; depth < MOST_CAUSES && at instanceof Error; depth += 1) {
    if (at instanceof RubyError) return at;
    at = at.cause;
  }
  return null;
}
