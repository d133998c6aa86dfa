import { PuppetHash } from '../types/puppet-hash.ts';
import type { Value } from '../types/values.ts';
import { flatten, implicitString, undefinedMethod } from './conversion.ts';
import { defineLegacyFunction } from './legacy-function.ts';
import { ResourceReference } from './resource-reference.ts';
import { rubyInspect } from './ruby-text.ts';

/** Quotes each word for a Bourne shell where it needs it, with blanks between. */
export const shellquote = defineLegacyFunction('shellquote', {
  arity: -1,
  rvalue: true,
  body: (_, args) => flatten(args).map(quoted).join(' '),
});

function quoted(word: Value): string {
  if (word instanceof PuppetHash || word instanceof ResourceReference) return implicitString(word);
  if (typeof word !== 'string') throw undefinedMethod('length', word, rubyInspect(word));
  if (/^[a-zA-Z0-9@%_+=:,./-]+$/.test(word)) return word;
  if (!/[!"`$\\]/.test(word)) return `"${word}"`;
  if (!word.includes("'")) return `'${word}'`;
  return `"${word.replace(/[!"`$\\]/g, '\\$&')}"`;
}
