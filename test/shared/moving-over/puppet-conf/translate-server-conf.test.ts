import { describe, expect, it } from 'vitest';
import { defaultRules } from '../../../../shared/access/authorization/default-rules.ts';
import { printTranslation } from '../../../../shared/moving-over/puppet-conf/print-translation.ts';
import { collectConfigKeys } from '../../../../shared/moving-over/puppet-conf/translate-puppet-conf.ts';
import { translateServerConf } from '../../../../shared/moving-over/puppet-conf/translate-server-conf.ts';

const DEFAULT_RULES = defaultRules('openvox-8');
const translate = (text: string, name = 'any.conf') => translateServerConf([{ file: `/conf.d/${name}`, text }]);
const keysOf = (text: string) => collectConfigKeys(translate(text));

describe('the keys for a file of conf.d', () => {
  it.each<[text: string, keys: object]>([
    ['webserver: { ssl-host: 10.0.0.1, ssl-port: 8141, client-auth: want }', { host: '10.0.0.1', port: 8141 }],
    ['webserver { puppet-server { ssl-port = "8142" } }', { port: 8142 }],
    ['jruby-puppet.max-active-instances: 4', { workers: 4 }],
    ['jruby-puppet: { master-code-dir: /srv/code, gem-home: /g }', { 'control-repo': '/srv/code' }],
    ['certificate-authority: { allow-subject-alt-names: true }', { 'allow-subject-alt-names': true }],
    [
      'certificate-authority { allow-authorization-extensions = false, ca-ttl = 60d }',
      { 'allow-authorization-extensions': false },
    ],
    ['metrics: { server-id: localhost }\nproduct: { check-for-updates: true }', {}],
    ['nobody.knows: 1', {}],
  ])('%j are %j', (text, keys) => {
    expect(keysOf(text)).toEqual(keys);
  });
});

describe('the rules of auth.conf', () => {
  const rules = (list: readonly object[]) => JSON.stringify({ authorization: { version: 1, rules: list } });
  const [first = {}, ...others] = DEFAULT_RULES;
  const signAll = {
    name: 'sign all',
    'sort-order': 500,
    'match-request': { path: '/puppet-ca/v1/sign/all', type: 'path', method: 'post' },
    allow: { extensions: { pp_cli_auth: 'true' } },
  };
  const bucket = DEFAULT_RULES.find((rule) => rule['match-request'].path === '/puppet/v3/file_bucket_file');

  it.each([
    ['the default ones', DEFAULT_RULES],
    ['those of Puppet 7', DEFAULT_RULES.filter(({ name }) => name !== 'puppetlabs certificate renewal')],
    ['without those for our own requests', DEFAULT_RULES.filter(({ name }) => name.startsWith('puppet'))],
    ['with one that another covers', [...DEFAULT_RULES, signAll]],
  ])('are not needed when they are %s', (_, list) => {
    expect(keysOf(rules(list))).toEqual({});
  });

  it.each<[what: string, list: readonly object[], place: string]>([
    ['one says something else', [{ ...first, allow: '*' }, ...others], "the rule 'puppetlabs v3 catalog from agents'"],
    ['one is not there', others, "no rule 'puppetlabs v3 catalog from agents'"],
    ['one is new', [...DEFAULT_RULES, { ...signAll, allow: 'ops' }], "the rule 'sign all'"],
    [
      'one is for fewer methods',
      DEFAULT_RULES.map((rule) =>
        rule === bucket ? { ...rule, 'match-request': { ...rule['match-request'], method: ['head', 'put'] } } : rule,
      ),
      "the rule 'puppetlabs file bucket file'",
    ],
  ])('are a setting when %s', (_, list, place) => {
    const { settings } = translate(rules(list), 'auth.conf');
    expect(settings.filter(({ translation }) => translation.kind === 'setting')).toEqual([
      { place: `auth.conf: ${place}`, translation: { kind: 'setting', keys: { 'auth-conf': '/conf.d/auth.conf' } } },
    ]);
  });

  it('of a server of OpenVox 9 are not needed at its level', () => {
    const [level, own] = ['puppetlabs file bucket file read', 'sign all'].map(
      (name) => `auth.conf: the rule '${name}'`,
    );
    const nine = defaultRules('openvox-9');
    const settingsOf = (list: readonly object[]) =>
      translate(rules(list), 'auth.conf').settings.filter(({ translation }) => translation.kind === 'setting');
    const language = { place: level, translation: { kind: 'setting', keys: { language: 'openvox-9' } } };
    expect(settingsOf(nine)).toEqual([language]);
    expect(settingsOf([...nine, { ...signAll, allow: 'ops' }])).toEqual([
      language,
      { place: own, translation: { kind: 'setting', keys: { 'auth-conf': '/conf.d/auth.conf' } } },
    ]);
  });

  it('want those for our own requests beside them', () => {
    const own = { ...signAll, allow: 'ops' };
    const { settings } = translate(rules([...DEFAULT_RULES.filter(({ name }) => name !== 'understudy packages'), own]));
    const steps = settings.flatMap(({ translation }) => (translation.kind === 'step' ? [translation.text] : []));
    expect(steps).toEqual([expect.stringContaining('"path":"/packages/"')]);
  });
});

it.each<[text: string, message: string]>([
  ['webserver: {', '/conf.d/any.conf: it cannot be read: '],
  ['[1]', '/conf.d/any.conf: it cannot be read: '],
  ['webserver.ssl-port: http', "/conf.d/any.conf: webserver.ssl-port: it must be a number above 0, not 'http'"],
  ['webserver.ssl-port: 70000', "/conf.d/any.conf: webserver.ssl-port: '70000' is no port"],
  [
    'certificate-authority.allow-subject-alt-names: maybe',
    "/conf.d/any.conf: certificate-authority.allow-subject-alt-names: it must be true or false, not 'maybe'",
  ],
  ['authorization: { version: 1, rules: 5 }', '/conf.d/any.conf: authorization.rules: it should be a list'],
])('%j is refused', (text, message) => {
  expect(() => translate(text)).toThrow(message);
});

it('is printed a line for each setting', () => {
  const text = `# Ours
webserver: { ssl-port: 8141, access-log-config: /etc/log.xml, ssl-protocols: [TLSv1.2] }
authorization: { version: 1, allow-header-cert-info: true, rules: ${JSON.stringify(DEFAULT_RULES)} }
`;
  expect(printTranslation(translate(text), '/conf.d')).toBe(`/conf.d

Settings of \`understudy server --config\` (--format yaml prints the file):
  any.conf: webserver.ssl-port = 8141 -> port: 8141

To do:
  any.conf: webserver.access-log-config = /etc/log.xml: give access-log: FILE, one line of JSON a request
  any.conf: authorization.allow-header-cert-info = true: take it out of the file of auth-conf: only a certificate identifies a client, so that TLS ends here

Ignored:
  any.conf: webserver.ssl-protocols = ["TLSv1.2"]: TLS 1.2 and 1.3 with the ciphers of Node
  any.conf: authorization.version = 1: as here
  any.conf: authorization.rules: as here: they are the default rules
`);
});
