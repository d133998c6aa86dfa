import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OnigmoRegExp } from '../../../../../shared/puppet/ruby-core/onigmo/onigmo-regexp.ts';
import { parsePattern } from '../../../../../shared/puppet/ruby-core/onigmo/parser.ts';
import { UnsupportedPattern } from '../../../../../shared/puppet/ruby-core/onigmo/pattern.ts';

type Text = readonly [text: string, start?: number, groups?: readonly (string | null)[]];

/**
 * What Ruby itself answered: matches (start in characters, whole match and groups) of texts, and
 * why it refused others.
 */
interface Recording {
  readonly matches: readonly (readonly [pattern: string, texts: readonly Text[]])[];
  readonly errors: readonly (readonly [pattern: string, problem: string])[];
}

const recorded: Recording = JSON.parse(
  readFileSync(new URL('../../../../fixtures/ruby/patterns.json', import.meta.url), 'utf8'),
);

function matchOf(pattern: string, text: string): Text {
  const found = new OnigmoRegExp(parsePattern(pattern)).exec(text);
  if (!found) return [text];
  return [text, [...text.slice(0, found.index)].length, [...found].map((group: string | undefined) => group ?? null)];
}

describe('OnigmoRegExp', () => {
  it.each(recorded.matches)('matches %j as Ruby does', (pattern, texts) => {
    expect(texts.map(([text]) => matchOf(pattern, text))).toEqual(texts);
  });

  it.each(recorded.errors)('refuses %j as Ruby does', (pattern, problem) => {
    expect(() => parsePattern(pattern)).toThrow(new Error(problem));
  });

  it.each(['\\p{Age=6.0}', '\\p{InBasicLatin}', '(?<a>x)\\k<a+0>'])('says that %s is not supported', (pattern) => {
    expect(() => parsePattern(pattern)).toThrow(UnsupportedPattern);
  });

  it('goes on searching from lastIndex with the flag g, where \\G stands for that place', () => {
    const pattern = new OnigmoRegExp(parsePattern('\\Ga'), 'g');
    expect([...'aaba'].map(() => pattern.exec('aaba')?.index)).toEqual([0, 1, undefined, 0]);
  });

  it('matches texts of any length', () => {
    const pattern = new OnigmoRegExp(parsePattern('(?:a|b)*\\Kc'));
    expect(pattern.exec(`${'ab'.repeat(20_000)}c`)?.index).toBe(40_000);
  });
});
