import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { LegacyResourceReference } from '../../evaluator/resource-reference.ts';
import { inspectRuby } from '../../types/format/ruby-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { flattenDeep, implicitString, undefinedMethodError } from '../support/conversion.ts';

/** Quotes each word for a Bourne shell where necessary, and joins the words with blanks. */
export const shellquote = defineLegacyFunction('shellquote', {
  arity: -1,
  rvalue: true,
  body: (_, args) => flattenDeep(args).map(quoteWord).join(' '),
});

function quoteWord(word: Value): string {
  if (word instanceof PuppetHash || word instanceof LegacyResourceReference) return implicitString(word);
  if (typeof word !== 'string') throw undefinedMethodError('length', word, inspectRuby(word));
  if (/^[a-zA-Z0-9@%_+=:,./-]+$/.test(word)) return word;
  if (!/[!"`$\\]/.test(word)) return `"${word}"`;
  if (!word.includes("'")) return `'${word}'`;
  return `"${word.replace(/[!"`$\\]/g, '\\$&')}"`;
}
