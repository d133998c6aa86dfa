import type { Value } from '../types/values.ts';
import { flatten, undefinedMethod } from './conversion.ts';
import { defineLegacyFunction } from './legacy-function.ts';
import { rubyInspect } from './ruby-text.ts';

/** Quotes each word for a Bourne shell where it needs it, with blanks between. */
export const shellquote = defineLegacyFunction('shellquote', {
  arity: -1,
  rvalue: true,
  body: (_, args) => flatten(args).map(quoted).join(' '),
});

function quoted(word: Value): string {
  if (typeof word !== 'string') throw undefinedMethod('length', word, rubyInspect(word));
  if (/^[a-zA-Z0-9@%_+=:,./-]+$/.test(word)) return word;
  if (!/[!"`$\\]/.test(word)) return `"${word}"`;
  if (!word.includes("'")) return `'${word}'`;
  return `"${word.replace(/[!"`$\\]/g, '\\$&')}"`;
}
