import { expect, it } from 'vitest';
import { ParseCache, type ParsedManifest } from '../../../../shared/puppet/compiler/manifest-parser.ts';
import { parseProgram } from '../../../../shared/puppet/language/parser.ts';

it('keeps as many manifests as their characters allow, those in use first', () => {
  const cache = new ParseCache(10_000);
  const parsed: string[] = [];
  const read = (path: string) =>
    cache.get(path, (): ParsedManifest => {
      parsed.push(path);
      return { program: parseProgram('', { file: path, tasks: false }), diagnostics: [], characters: 3000 };
    });
  for (const path of ['site', 'a', 'site', 'b', 'site', 'c', 'site', 'a']) read(path);
  expect(parsed).toEqual(['site', 'a', 'b', 'c', 'a']);
});
