import { describe, expect, it } from 'vitest';
import { parseInstaller } from '../../../../shared/http/packages/installer.ts';

const VALUES = { SERVER: 'puppet.example.com', PORT: '8140', VERSION: '8.10.0' };

describe('an installer', () => {
  it.each([
    ["server='@SERVER@' # @SERVER@:@PORT@\n", "server='puppet.example.com' # puppet.example.com:8140\n"],
    ['/packages/@VERSION@', '/packages/8.10.0'],
    [`"\${settings[@]}" @args @() @(0, 1) @server@ a@b.c`, `"\${settings[@]}" @args @() @(0, 1) @server@ a@b.c`],
    ['', ''],
  ])('of %j is %j', (template, expected) => {
    expect(parseInstaller(template)(VALUES)).toBe(expected);
  });

  it('is refused when it has a placeholder without a value', () => {
    expect(() => parseInstaller('@SERVER@ @POOL@')).toThrow('An installer has no value for @POOL@');
  });

  it.each(["a'b", '$(id)', 'a b', 'a\nb', '@PORT@', ''])('is not printed for the host %j', (SERVER) => {
    const message = 'invariant: the SERVER of an installer needs no quotes';
    expect(() => parseInstaller('@SERVER@')({ ...VALUES, SERVER })).toThrow(message);
  });
});
