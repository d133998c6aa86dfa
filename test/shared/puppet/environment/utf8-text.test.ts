import { describe, expect, it } from 'vitest';
import { NO_RECORDER } from '../../../../shared/puppet/environment/inputs.ts';
import { createMemoryEnvironment } from '../../../../shared/puppet/environment/memory-environment.ts';
import { readUtf8, utf8Problem } from '../../../../shared/puppet/environment/utf8-text.ts';

const BASE = '/code/environments/production';

function read(bytes: readonly number[]): string | null {
  const files = { 'environments/production/a.pp': Uint8Array.from(bytes) };
  const environment = createMemoryEnvironment({
    name: 'production',
    codeDirectory: '/code',
    files,
    inputs: NO_RECORDER,
  });
  return readUtf8(environment, `${BASE}/a.pp`);
}

describe('readUtf8', () => {
  it.each([
    ['text', [0x61, 0x0a, 0xc3, 0xa9], 'a\né'],
    ['the sign that stands for what is invalid', [...Buffer.from('a \uFFFD')], 'a \uFFFD'],
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x61], '\uFEFFa'],
  ])('gives %s as it is', (_, bytes, text) => {
    expect(read(bytes)).toBe(text);
  });

  it('names file and line of what is none', () => {
    const bytes = [...Buffer.from('a\ncafé\n'), ...Buffer.from('caf\xe9\n', 'latin1')];
    expect(() => read(bytes)).toThrow(`invalid byte sequence in UTF-8 (file: ${BASE}/a.pp, line: 3)`);
  });
});

// As Psych of Ruby 3.1 says it.
it.each([
  [[0x61, 0xe9], 'incomplete UTF-8 octet sequence'],
  [[0xe9, 0x61, 0x61], 'invalid trailing UTF-8 octet'],
  [[0x61, 0xff, 0x61], 'invalid leading UTF-8 octet'],
  [[0x80], 'invalid leading UTF-8 octet'],
  [[0xc0, 0x80], 'invalid length of a UTF-8 sequence'],
  [[0xed, 0xa0, 0x80], 'invalid Unicode character'],
  [[0xf4, 0x90, 0x80, 0x80], 'invalid Unicode character'],
])('the bytes %j are told of as %j', (bytes, problem) => {
  expect(utf8Problem(Uint8Array.from(bytes))).toBe(problem);
});
