import { describe, expect, it } from 'vitest';
import { GuardedRegExp } from '../../../../../shared/puppet/ruby-core/onigmo/guarded-regexp.ts';
import { boundMatchCost, estimateSteps } from '../../../../../shared/puppet/ruby-core/onigmo/match-cost.ts';
import { PatternSearch } from '../../../../../shared/puppet/ruby-core/onigmo/matcher.ts';
import { parsePattern } from '../../../../../shared/puppet/ruby-core/onigmo/parser.ts';
import { compileProgram } from '../../../../../shared/puppet/ruby-core/onigmo/program.ts';
import { PuppetRegexp } from '../../../../../shared/puppet/types/values/regexp.ts';
import { VALIDATORS } from '../../../../helpers/hostile-patterns.ts';

const boundOf = (pattern: string) => boundMatchCost(parsePattern(pattern).root);

/** The degree of the steps of one search; null without a bound. */
function degreeOf(pattern: string): number | null {
  const cost = boundOf(pattern);
  if (!cost) return null;
  const [short, long] = [1000, 100_000].map((length) => estimateSteps(cost, '', length));
  return Math.round(Math.log10((long ?? 1) / (short ?? 1)) / 2);
}

describe('boundMatchCost', () => {
  it.each([
    ['foo', 1],
    ['\\s+', 1],
    ['foo\\s+bar', 1],
    ['\\A(?:/[^/]+)+\\z', 1],
    ['\\A\\d{1,3}(?:\\.\\d{1,3}){3}\\z', 1],
    ['^[a-z]+\\d+$', 1],
    ['\\s+$', 2],
    ['(?:a|b)*c', 2],
    ['a(?=.*b)', 2],
    ['\\A.*foo.*bar', 2],
    ['.*foo.*bar', 3],
    ['^(a+)+$', null],
    ['(?:a|a)*b', null],
    ['(?:a|ab)*c', 2],
    ['(?:a|ab|b)*c', null],
    ['\\A([a-z0-9]+[-_]?)+\\z', null],
    ['(x+x+)+y', null],
    ['(.*)*', null],
    ['(?=(a+)+b)', null],
    ['(a*)\\1', null],
    ['a++', null],
  ])('bounds %s by the degree %j', (pattern, degree) => {
    expect(degreeOf(pattern)).toBe(degree);
  });

  it.each([
    ['\\s+', true],
    [',\\s*', true],
    ['a(?:.*b)?', false],
    ['(?:a|a){30}b', false],
    ['\\s+$', false],
  ])('%s is linear in repeated searches: %j', (pattern, isLinear) => {
    expect(boundOf(pattern)?.isLinear).toBe(isLinear);
  });

  it('knows no bound for validators that take exponential time', () => {
    const native = VALIDATORS.filter(([pattern]) => boundOf(pattern)?.isLinear === true);
    expect(native).toEqual([]);
  });

  it('is not exceeded by a matcher without memory', () => {
    const atoms = ['a', 'b', '[ab]', '[^a]', '.', '^', '$', '\\b'];
    const repeats = ['', '*', '+', '?', '{2}', '{1,3}', '*?'];
    const parts = atoms.flatMap((atom) => repeats.map((repeat) => `(?:${atom})${repeat}`));
    const texts = ['a'.repeat(120), 'ab'.repeat(60), `${'b'.repeat(120)}a`, 'aab\n'.repeat(30)];
    const exceeding = parts.flatMap((one, index) => {
      const other = parts[(index * 17 + 5) % parts.length] ?? '';
      const pattern = parsePattern(`${one}(?:${other}|b${other})c?${one}$`);
      const cost = boundMatchCost(pattern.root);
      if (!cost) return [];
      return texts.filter((text) => {
        const search = new PatternSearch(compileProgram(pattern), text, Number.POSITIVE_INFINITY);
        search.search(0);
        // Each character takes some instructions.
        return search.steps > 8 * estimateSteps(cost, text, text.length);
      });
    });
    expect(exceeding).toEqual([]);
  });
});

describe('GuardedRegExp', () => {
  const engineFor = (pattern: string, text: string) => {
    const regexp = new PuppetRegexp(pattern).toNative();
    regexp.test(text);
    return regexp instanceof GuardedRegExp ? regexp.isNative : null;
  };

  it.each([
    ['a simple pattern', 'foo', 'foo', null],
    ['a linear pattern', '^a+$', `${'a'.repeat(50_000)}!`, true],
    ['a quadratic pattern in a short text', '\\s+$', `${' '.repeat(500)}x`, true],
    ['a quadratic pattern in a long text', '\\s+$', `${' '.repeat(50_000)}x`, false],
    ['an exponential pattern', '^(a+)+$', 'ab', false],
  ])('knows where %s runs', (_, pattern, text, isNative) => {
    expect(engineFor(pattern, text)).toBe(isNative);
  });

  it('changes the engine between the searches in one text without a different answer', () => {
    const text = 'ab '.repeat(2000);
    const pattern = new PuppetRegexp('a(?:.*!)?').toNative();
    const engine = new GuardedRegExp(pattern instanceof GuardedRegExp ? pattern : expect.fail(), 'g');
    const found = Array.from({ length: 2000 }, () => engine.exec(text)?.index);
    expect(found).toEqual(Array.from({ length: 2000 }, (__, index) => index * 3));
    expect(engine.isNative).toBe(false);
  });
});
