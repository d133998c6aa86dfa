import { describe, expect, it } from 'vitest';
import { PuppetError } from '../../../../../shared/puppet/errors/puppet-error.ts';
import { escapeRegexp, PuppetRegexp } from '../../../../../shared/puppet/types/values/regexp.ts';

describe('PuppetRegexp', () => {
  it.each([
    ['^b$', 'a\nb', ['b']],
    ['\\Aab\\Z', 'ab\n', ['ab']],
    ['\\Aab\\z', 'ab\n', null],
    ['a.b', 'a\nb', null],
    ['a.b', 'a\rb', ['a\rb']],
    ['(?i)AB', 'ab', ['ab']],
    ['(?i:A)B', 'aB', ['aB']],
    ['a++b', 'aab', ['aab']],
    ['[[:alpha:]]+', '1ab', ['ab']],
    ['\\h{2}', 'xfe', ['fe']],
    ['(?<x>a)(b)', 'ab', ['ab', 'a']],
    ['(a)|(b)', 'b', ['b', undefined, 'b']],
    ['(?x) a # a\n b', 'ab', ['ab']],
    ['(?<!a)b', 'ab', null],
    ['\\p{L}', 'é', ['é']],
    ['[\\w.-]+@x', 'a.b-c@x', ['a.b-c@x']],
  ])('%s on %j', (source, text, expected) => {
    const match = new PuppetRegexp(source).exec(text);
    expect(match && [...match]).toEqual(expected);
  });

  it.each([
    ['a(b', 'end pattern with unmatched parenthesis: /a(b/'],
    ['a)b', 'unmatched close parenthesis: /a)b/'],
    ['[a', 'premature end of char-class: /[a/'],
    ['*a', 'target of repeat operator is not specified: /*a/'],
    ['[b-a]', 'empty range in char class: /[b-a]/'],
  ])('refuses %s', (source, message) => {
    expect(() => new PuppetRegexp(source).toNative()).toThrow(new PuppetError(message));
  });

  it('escapes what has a meaning', () => {
    expect(escapeRegexp('a.b[c] d\n')).toBe('a\\.b\\[c\\]\\ d\\n');
  });
});
