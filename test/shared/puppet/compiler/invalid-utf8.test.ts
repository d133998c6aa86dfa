import { expect, it } from 'vitest';
import { compileSource } from '../../../helpers/compile-source.ts';

const LATIN = Buffer.from('# ok\n# caf\xe9\n', 'latin1');
const ROOT = '/code/environments/production';

it.each([
  ['include m', 'modules/m/manifests/init.pp'],
  ['notice(m::f())', 'modules/m/functions/f.pp'],
  ["notice(epp('m/t.epp'))", 'modules/m/templates/t.epp'],
])('%s fails with the place of what is no UTF-8', (code, path) => {
  const result = compileSource(code, { files: { [path]: LATIN } });
  if (result.status !== 'failed') expect.unreachable();
  expect(result.error.message).toBe(
    `invalid byte sequence in UTF-8 (file: ${ROOT}/${path}, line: 2) on node node.example.com`,
  );
});

it('data that are no UTF-8 fail as Puppet has it', () => {
  const hierarchy = "version: 5\nhierarchy: [{ name: all, path: 'all.yaml' }]\n";
  const files = { 'hiera.yaml': hierarchy, 'data/all.yaml': Buffer.from('a: caf\xe9\n', 'latin1') };
  const result = compileSource("notice(lookup('a'))", { files });
  if (result.status !== 'failed') expect.unreachable();
  expect(result.error.message).toBe(
    `Unable to parse (${ROOT}/data/all.yaml): incomplete UTF-8 octet sequence at line 1 column 1 on node node.example.com`,
  );
});
