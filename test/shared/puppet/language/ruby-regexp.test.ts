import { describe, expect, it } from 'vitest';
import { rubyRegexpProblem } from '../../../../shared/puppet/language/ruby-regexp.ts';

describe('rubyRegexpProblem', () => {
  it.each([
    ['[', 'premature end of char-class: /[/'],
    ['[]', 'empty char-class: /[]/'],
    ['[^]', 'empty char-class: /[^]/'],
    ['[a[-z]', 'premature end of char-class: /[a[-z]/'],
    ['[[:foo:]]', 'invalid POSIX bracket type: /[[:foo:]]/'],
    ['[b-a]', 'empty range in char class: /[b-a]/'],
    ['(', 'end pattern with unmatched parenthesis: /(/'],
    ['a/(?:', 'end pattern with unmatched parenthesis: /a\\/(?:/'],
    ['a)', 'unmatched close parenthesis: /a)/'],
    ['(*)', 'target of repeat operator is not specified: /(*)/'],
    ['a|+b', 'target of repeat operator is not specified: /a|+b/'],
    ['{2}', 'target of repeat operator is not specified: /{2}/'],
    ['a{2,1}', 'upper is smaller than lower in repeat range: /a{2,1}/'],
    ['a{0,100001}', 'too big number for repeat range: /a{0,100001}/'],
    ['(?<1>a)', 'invalid group name <1>: /(?<1>a)/'],
    ['(?<a', 'invalid group name <a>: /(?<a/'],
    ['(?z)', 'undefined group option: /(?z)/'],
    ['(?)', 'undefined group option: /(?)/'],
    ['(?#', 'end pattern in group: /(?#/'],
    ['\\k<q>', 'undefined name <q> reference: /\\k<q>/'],
    ['(a)\\2', 'invalid backref number/name: /(a)\\2/'],
    ['\\x', 'invalid hex escape: /\\x/'],
    ['\\u12', 'invalid Unicode escape: /\\u12/'],
    ['a\\', 'too short escape sequence: /a\\/'],
  ])('refuses %s as Ruby does', (pattern, message) => {
    expect(rubyRegexpProblem(pattern)).toBe(message);
  });

  it.each(
    '[]a] [a[b]] [a&&[b]] [\\]] (?<n>x)\\k<n> a** a*? a{ (?a) (?i)a (?i-m:a) (?>a) ^* (|a) (?#a) \\b* (?!a) (?<=a|b) [[:alpha:]] \\p{Alpha} (a)\\1 (?mix) [a-] [\\d-]'.split(
      ' ',
    ),
  )('accepts %s', (pattern) => {
    expect(rubyRegexpProblem(pattern)).toBeNull();
  });
});
