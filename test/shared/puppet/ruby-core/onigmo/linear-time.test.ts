import { describe, expect, it } from 'vitest';
import { PatternSearch, STEP_LIMIT } from '../../../../../shared/puppet/ruby-core/onigmo/matcher.ts';
import { OnigmoRegExp } from '../../../../../shared/puppet/ruby-core/onigmo/onigmo-regexp.ts';
import { parsePattern } from '../../../../../shared/puppet/ruby-core/onigmo/parser.ts';
import { compileProgram } from '../../../../../shared/puppet/ruby-core/onigmo/program.ts';
import { createHostilePatterns, type HostilePattern, VALIDATORS } from '../../../../helpers/hostile-patterns.ts';

/** The steps of searches in attack texts of about those many characters. */
function countSearchSteps([pattern, repeated]: HostilePattern, lengths: readonly number[]): number[] {
  const program = compileProgram(parsePattern(pattern));
  return lengths.map((length) => {
    const text = `${repeated.repeat(length / repeated.length)}\u0001`;
    const search = new PatternSearch(program, text, 0);
    search.search(0);
    return search.steps;
  });
}

describe('hostile patterns', () => {
  it('takes steps in proportion to the text for each of 2,000', () => {
    const patterns = [...createHostilePatterns(), ...VALIDATORS];
    expect(patterns.length).toBeGreaterThan(2000);
    const worse = patterns.filter((pattern) => {
      const [short = 0, long = 0] = countSearchSteps(pattern, [50, 100]);
      return long > 2.2 * short + 100;
    });
    expect(worse).toEqual([]);
  });

  it('takes few steps for each character of long texts', () => {
    const counts = VALIDATORS.map(
      ([pattern, repeated]) => [pattern, (countSearchSteps([pattern, repeated], [5000])[0] ?? 0) / 5000] as const,
    );
    expect(counts.filter(([, count]) => count > 60)).toEqual([]);
  });

  it('gives the same matches and groups with memory, without it, and with one that starts late', () => {
    const patterns = createHostilePatterns().filter((_, index) => index % 7 === 0);
    const different = patterns.flatMap(([source, repeated]) => {
      const pattern = parsePattern(`${source}|(${source})?,`.replaceAll('(?<n>', '('));
      const program = compileProgram(pattern);
      return [',', '!'].filter((ending) => {
        const text = repeated.repeat(4).slice(0, 4) + ending;
        const [first, ...others] = [0, 12, Number.POSITIVE_INFINITY].map((memoAfter) =>
          JSON.stringify(new PatternSearch(program, text, memoAfter).search(0)),
        );
        return others.some((other) => other !== first);
      });
    });
    expect(different).toEqual([]);
  });

  it.each([
    ['\\s+$', `${' '.repeat(60_000)}x`, 8],
    ['^(a+)+$', `${'a'.repeat(60_000)}x`, 16],
    ['^(?:a{1,20}){1,20}$', `${'a'.repeat(2000)}x`, 1000],
  ])('searches %s in a long text with few steps for each character', (pattern, text, most) => {
    const regexp = new OnigmoRegExp(parsePattern(pattern));
    expect(regexp.exec(text)).toBeNull();
    expect(regexp.steps / text.length).toBeLessThan(most);
  });

  it('shares its memory among the searches in one text', () => {
    const regexp = new OnigmoRegExp(parsePattern('(?:a|a)+b|x'), 'g');
    const text = 'aaax'.repeat(500);
    const found = Array.from({ length: 500 }, () => regexp.exec(text)?.index);
    expect(found).toEqual(Array.from({ length: 500 }, (_, index) => index * 4 + 3));
    expect(regexp.steps / text.length).toBeLessThan(30);
  });
});

describe('the limit of steps', () => {
  it('stops a back reference that tries all ways, and names the pattern', () => {
    const regexp = new OnigmoRegExp(parsePattern('^(a|a)*/\\1!'));
    const text = `${'a'.repeat(40)}/`;
    expect(() => regexp.exec(text)).toThrow(
      new Error(
        `regular expression needs more than ${STEP_LIMIT + 64 * 41} steps for a text of 41 characters: ` +
          '/^(a|a)*\\/\\1!/',
      ),
    );
  });

  it('counts the searches in one text together', () => {
    const regexp = new OnigmoRegExp(parsePattern('a'), 'g');
    const countAfterSearch = () => {
      regexp.exec('ba,ba');
      return regexp.steps;
    };
    const [first = 0, second = 0, last = 0, again] = Array.from({ length: 4 }, countAfterSearch);
    expect([second - first, last > second, again]).toEqual([first + 1, true, first]);
  });
});
