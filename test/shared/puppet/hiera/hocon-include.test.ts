import { describe, expect, it } from 'vitest';
import { parseHocon } from '../../../../shared/puppet/serialization/hocon.ts';
import { printJson } from '../../../../shared/puppet/serialization/json.ts';

const NOT_EXPECTING =
  'String: 1: expecting include parameter to be quoted filename, file(), classpath(), or url(). No spaces are allowed before the open paren. Not expecting: ';

// As the hocon gem (1.3.1) has them for a text that is no file; `file()` and `url()` are refused in
// words of our own.
describe('include in HOCON data', () => {
  it.each([
    ['include "b.conf"\nx = 1', '{"x":1}'],
    ['x = { include "b.conf" }', '{"x":{}}'],
    ['x.include = 3', '{"x":{"include":3}}'],
    ['includes = 2', '{"includes":2}'],
  ])('reads %j', (text, expected) => {
    expect(printJson(parseHocon(text))).toBe(expected);
  });

  it.each([
    ['include = 3', "String: 1: include keyword is not followed by a quoted string, but by: '='"],
    ['include x', `${NOT_EXPECTING}'x'`],
    ['include required("b.conf")', `${NOT_EXPECTING}'required('`],
    ['include file("/b.conf")', 'String: 1: include file(...) is not supported in Hiera data'],
  ])('refuses %j', (text, message) => {
    expect(() => parseHocon(text)).toThrow(message);
  });
});
