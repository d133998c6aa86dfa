import { describe, expect, it } from 'vitest';
import { compileSource } from '../../../helpers/compile-source.ts';

describe('faults that a compile tells of', () => {
  it('logs what is wrong with the metadata of a module when the module is looked at', () => {
    const files = {
      'modules/bad/metadata.json': '{"name": "x-bad"}',
      'modules/bad/manifests/init.pp': 'class bad { }',
    };
    const result = compileSource('notice(1) include bad', { files });
    expect(
      result.status === 'needs' ? [] : result.log.slice(0, 2).map(({ level, message }) => [level, message]),
    ).toEqual([
      ['notice', '1'],
      ['err', 'No source module metadata provided for bad'],
    ]);
  });

  it.each([
    ['pkcs7_private_key_env_var: KEY', 'env KEY may not be read (pkcs7_private_key_env_var in hiera.yaml)'],
    ['pkcs7_private_key: /etc/keys/k.pem', 'No such file or directory @ rb_sysopen - /etc/keys/k.pem'],
  ])('names the eyaml key that can not be read: %s', (options, reason) => {
    const files = {
      'hiera.yaml': `version: 5\nhierarchy: [{name: s, path: s.eyaml, lookup_key: eyaml_lookup_key, options: {${options}}}]`,
      'data/s.eyaml': 'one: ENC[PKCS7,AAAA]',
    };
    const result = compileSource("lookup('one')", { files });
    expect(result.status === 'failed' ? result.error.message : null).toContain(
      `hiera-eyaml backend error decrypting ENC[PKCS7,AAAA] when looking up one in /code/environments/production/data/s.eyaml. Error was ${reason}`,
    );
  });
});
