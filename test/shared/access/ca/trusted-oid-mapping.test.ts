import { expect, it } from 'vitest';
import { trustedFacts } from '../../../../shared/access/ca/trusted-facts.ts';
import { readTrustedOidMapping } from '../../../../shared/access/ca/trusted-oid-mapping.ts';
import { frontDoorSettings } from '../../../../shared/http/front-door-settings.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';

const FILE = '/etc/puppet/custom_trusted_oid_mapping.yaml';
const ARC = '1.3.6.1.4.1.34380.1.2.1';
const one = (oid: string, short: string) => `  ${oid}:\n    shortname: ${short}\n    longname: The ${short}\n`;
const MAPPING = `---\noid_mapping:\n${one(`${ARC}.1`, 'rack')}${one(`'${ARC}.2'`, 'tier')}`;

it('names extensions in $trusted that Puppet has no name for, and no others', () => {
  const names = readTrustedOidMapping(MAPPING, FILE);
  expect([...names]).toEqual([
    [`${ARC}.1`, 'rack'],
    [`${ARC}.2`, 'tier'],
  ]);
  const extensions = new Map([
    ['pp_role', 'web'],
    [`${ARC}.1`, 'r7'],
    [`${ARC}.11`, 'other'],
  ]);
  expect(trustedFacts('a.example.com', extensions, names).get('extensions')).toEqual(
    PuppetHash.of([
      ['pp_role', 'web'],
      ['rack', 'r7'],
      [`${ARC}.11`, 'other'],
    ]),
  );
});

/** `mapping.yaml` is the only file beside the code. */
function settingsOf(variables: Readonly<Record<string, string>>) {
  return frontDoorSettings({ variables, readText: (name) => (name === 'mapping.yaml' ? MAPPING : '') });
}

it('is read from a variable where there are no files, or from a file beside the code', () => {
  const named = settingsOf({ UNDERSTUDY_TRUSTED_OID_MAPPING: 'file:mapping.yaml' });
  expect(named.settings?.trustedNames?.get(`${ARC}.2`)).toBe('tier');
  const { settings } = settingsOf({ UNDERSTUDY_TRUSTED_OID_MAPPING: MAPPING });
  expect(settings?.trustedNames?.get(`${ARC}.2`)).toBe('tier');
  expect(() => settingsOf({ UNDERSTUDY_TRUSTED_OID_MAPPING: 'x: 1' })).toThrow(
    "Error loading ssl custom OIDs mapping file from 'UNDERSTUDY_TRUSTED_OID_MAPPING': no such index 'oid_mapping'",
  );
});

it('names extensions in the rules of authorization', () => {
  const rule = '{ name: r, sort-order: 1, match-request { path: "/", type: path }, allow { extensions { rack: r7 } } }';
  const variables = {
    UNDERSTUDY_TRUSTED_OID_MAPPING: MAPPING,
    UNDERSTUDY_AUTH_CONF: `authorization { version: 1, rules: [${rule}] }`,
  };
  const ask = (value: string) => {
    const identity = { certname: 'a', extensions: new Map([[`${ARC}.1`, value]]) };
    const { authorization } = settingsOf(variables);
    return authorization?.judge({ method: 'GET', path: '/', query: new URLSearchParams(), identity }).allowed;
  };
  expect([ask('r7'), ask('r8')]).toEqual([true, false]);
  expect(() => settingsOf({ ...variables, UNDERSTUDY_TRUSTED_OID_MAPPING: '' })).toThrow(
    "UNDERSTUDY_AUTH_CONF: authorization.rules[0] 'r'.allow.extensions.rack: neither Puppet nor the trusted OID mapping knows a certificate extension of this name",
  );
});

const LOADING = `Error loading ssl custom OIDs mapping file from '${FILE}': `;
const TAKEN = `Error registering ssl custom OIDs mapping from file '${FILE}': oid exists`;
// Puppet's words; of an empty file, an entry that is no hash and a key that is no number it has
// none.
it.each([
  ['nothing', '', `${LOADING}no such index 'oid_mapping'`],
  ['another index', 'other: {}\n', `${LOADING}no such index 'oid_mapping'`],
  ['no hash', 'oid_mapping: []\n', `${LOADING}data under index 'oid_mapping' must be a Hash`],
  ['no long name', `oid_mapping: {${ARC}.9: {shortname: x}}`, `${LOADING}incomplete definition of oid '${ARC}.9'`],
  ['no definition', `oid_mapping: {${ARC}.9: x}`, `${LOADING}incomplete definition of oid '${ARC}.9'`],
  ['no number', `oid_mapping:\n${one('nonsense', 'x')}`, `${LOADING}'nonsense' is not an object identifier`],
  ["Puppet's number", `oid_mapping:\n${one('1.3.6.1.4.1.34380.1.1.13', 'x')}`, TAKEN],
  ["Puppet's name", `oid_mapping:\n${one(`${ARC}.1`, 'pp_role')}`, TAKEN],
  ['one name twice', `oid_mapping:\n${one(`${ARC}.1`, 'x')}${one(`${ARC}.2`, 'x')}`, TAKEN],
])('refuses a file with %s', (_, text, message) => {
  expect(() => readTrustedOidMapping(text, FILE)).toThrow(message);
});

it('refuses what is no YAML, and names the file', () => {
  expect(() => readTrustedOidMapping('[1\n', FILE)).toThrow(`${LOADING}(${FILE}): `);
});
