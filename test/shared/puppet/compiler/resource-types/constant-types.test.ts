import { describe, expect, it } from 'vitest';
import { ParseCache } from '../../../../../shared/puppet/compiler/manifest-parser.ts';
import { Inputs } from '../../../../../shared/puppet/environment/inputs.ts';
import { compileSource } from '../../../../helpers/compile-source.ts';

const FILES = {
  'modules/m/manifests/init.pp': 'class m(Optional[M::Outer] $x) { }',
  'modules/m/types/outer.pp': 'type M::Outer = Variant[M::Inner, Pattern[/^a/]]',
  'modules/m/types/inner.pp': 'type M::Inner = Integer[-1, 5]',
};

const REFUSED = "parameter 'x' expects a M::Outer";

/** What a compile gives, and what it read. */
function compiled(parseCache: ParseCache, files: Readonly<Record<string, string>>, value: string, before = '') {
  const inputs = new Inputs();
  const result = compileSource(`${before} class { m: x => ${value} }`, { files, inputs, parseCache });
  const { files: read } = inputs.getResult();
  return { message: result.status === 'failed' ? result.error.message : result.status, read };
}

describe('types that compiles of one process share', () => {
  it.each(['5', "'ab'", 'undef', '6', "'b'"])(
    'say the same of %s, and are recorded, as if they were made anew',
    (value) => {
      const cache = new ParseCache();
      compiled(cache, FILES, '1');
      const again = compiled(cache, FILES, value);
      expect(again).toEqual(compiled(new ParseCache(), FILES, value));
      expect(Object.keys(again.read)).toContain('environments/production/modules/m/types/inner.pp');
    },
  );

  it.each([
    ['another file', { ...FILES, 'modules/m/types/inner.pp': 'type M::Inner = Integer[6, 9]' }, ''],
    ['an alias of the site manifest', FILES, 'type M::Inner = Integer[6, 9]'],
  ])('are made anew when an alias in them is that of %s', (_what, files, before) => {
    const cache = new ParseCache();
    expect(compiled(cache, FILES, '6').message).toContain(REFUSED);
    expect(compiled(cache, FILES, '5').message).toBe('ok');
    expect(compiled(cache, files, '6', before).message).toBe('ok');
    expect(compiled(cache, files, '5', before).message).toContain(REFUSED);
    expect(compiled(cache, FILES, '5').message).toBe('ok');
  });
});
