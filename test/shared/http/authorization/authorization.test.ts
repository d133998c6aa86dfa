import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Authorization } from '../../../../shared/http/authorization/authorization.ts';

type Extensions = Readonly<Record<string, string>>;
const ADMIN = { '1.3.6.1.4.1.34380.1.3.39': 'true' };

function verdict(rules: Authorization, who: string | null, method: string, url: string, extensions: Extensions = {}) {
  const { pathname, searchParams } = new URL(url, 'https://puppet');
  const identity = who === null ? null : { certname: who, extensions: new Map(Object.entries(extensions)) };
  return rules.judge({ method, path: pathname, query: searchParams, identity });
}

/** The rules of one `match-request` with the given rest, and the last one that denies. */
function rules(match: object, rest: object, order = 500): Authorization {
  const rule = { name: 'one', 'sort-order': order, 'match-request': match, ...rest };
  return Authorization.read(JSON.stringify({ authorization: { version: 1, rules: [rule] } }));
}

/** Method, path, then who may: nobody's, a node's own, another node's, an administrator's. */
const TABLE: readonly (readonly [string, string, string])[] = [
  ['GET', '/puppet/v3/catalog/web01', 'own'],
  ['POST', '/puppet/v3/catalog/web01', 'own'],
  ['PUT', '/puppet/v3/catalog/web01', '-'],
  ['POST', '/puppet/v4/catalog', '-'],
  ['GET', '/puppet/v3/node/web01', 'own'],
  ['PUT', '/puppet/v3/report/web01', 'own'],
  ['GET', '/puppet/v3/report/web01', '-'],
  ['PUT', '/puppet/v3/facts/web01', 'own'],
  ['GET', '/puppet/v3/facts/web01', '-'],
  ['GET', '/puppet-ca/v1/certificate/ca', 'anyone'],
  ['GET', '/puppet-ca/v1/certificate_revocation_list/ca', 'anyone'],
  ['PUT', '/puppet-ca/v1/certificate_revocation_list', 'admin'],
  ['GET', '/puppet-ca/v1/certificate_request/web01', 'anyone'],
  ['PUT', '/puppet-ca/v1/certificate_request/web01', 'anyone'],
  ['DELETE', '/puppet-ca/v1/certificate_request/web01', '-'],
  ['POST', '/puppet-ca/v1/certificate_renewal', 'nodes'],
  ['GET', '/puppet-ca/v1/certificate_status/web01', 'admin'],
  ['PUT', '/puppet-ca/v1/certificate_status/web01', 'admin'],
  ['DELETE', '/puppet-ca/v1/certificate_status/web01', 'admin'],
  ['GET', '/puppet-ca/v1/certificate_statuses/all', 'admin'],
  ['GET', '/puppet-ca/v1/expirations', 'nodes'],
  ['PUT', '/puppet-ca/v1/clean', 'admin'],
  ['POST', '/puppet-ca/v1/sign', 'admin'],
  ['POST', '/puppet-ca/v1/sign/all', 'admin'],
  ['GET', '/status/v1/services', 'anyone'],
  ['GET', '/status/v1/simple/server', 'anyone'],
  ['POST', '/status/v1/simple', '-'],
  ['GET', '/puppet/v3/environments', 'nodes'],
  ['HEAD', '/puppet/v3/file_bucket_file/md5/00', 'nodes'],
  ['DELETE', '/puppet/v3/file_bucket_file/md5/00', '-'],
  ['GET', '/puppet/v3/file_content/modules/a/b', 'nodes'],
  ['HEAD', '/puppet/v3/file_content/modules/a/b', 'nodes'],
  ['HEAD', '/puppet/v3/file_metadata/modules/a/b', 'nodes'],
  ['HEAD', '/puppet/v3/static_file_content/modules/a/files/b', 'nodes'],
  ['HEAD', '/puppet/v3/catalog/web01', 'own'],
  ['HEAD', '/packages/current/install.bash', 'anyone'],
  ['GET', '/puppet/v3/file_metadata/modules/a/b', 'nodes'],
  ['GET', '/puppet/v3/file_metadatas/plugins', 'nodes'],
  ['GET', '/puppet/v3/static_file_content/modules/a/files/b', 'nodes'],
  ['GET', '/puppet/v3/tasks', 'nodes'],
  ['GET', '/puppet/v3/environment_classes', '-'],
  ['DELETE', '/puppet-admin-api/v1/environment-cache', '-'],
  ['GET', '/packages/current/install.bash', 'anyone'],
  ['PUT', '/understudy/v1/nodes/web01/classification', 'admin'],
  ['GET', '/', '-'],
];

const CLIENTS = {
  nobody: [null, {}, ['anyone']],
  'the node itself': ['web01', {}, ['anyone', 'nodes', 'own']],
  'another node': ['web02', {}, ['anyone', 'nodes']],
  'an administrator': ['admin', ADMIN, ['anyone', 'nodes', 'admin']],
} as const satisfies Record<string, readonly [string | null, Extensions, readonly string[]]>;

describe('the standard rules', () => {
  describe.each(Object.entries(CLIENTS))('for %s', (_, [who, extensions, kinds]) => {
    it.each(TABLE)('%s %s', (method, path, whose) => {
      const may = kinds.some((kind) => kind === whose);
      expect(verdict(Authorization.standard, who, method, path, extensions).allowed).toBe(may);
    });
  });

  const SHIPPED = '/etc/puppet/puppetserver/conf.d/auth.conf';
  it.skipIf(!existsSync(SHIPPED))('say what the auth.conf of an installed Puppet Server says', () => {
    const shipped = Authorization.read(readFileSync(SHIPPED, 'utf8'));
    const ours = /^\/(packages|understudy)\/|certificate_renewal|\/sign/;
    for (const [who, extensions] of Object.values(CLIENTS)) {
      for (const [method, path] of TABLE.filter(([, path]) => !ours.test(path))) {
        const both = [shipped, Authorization.standard].map((one) => verdict(one, who, method, path, extensions));
        expect([method, path, who, both[1]]).toEqual([method, path, who, both[0]]);
      }
    }
  });
});

describe('a rule', () => {
  const ANY = { path: '/a', type: 'path' };

  it.each([
    ['web01.example.com', 'web01.example.com', true],
    ['web01.example.com', 'web02.example.com', false],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', true],
    ['*.example.com', 'badexample.com', false],
    ['*', 'anything', true],
    ['/^web\\d+$/', 'web12', true],
    ['/^web\\d+$/', 'webx', false],
    ['opaque@name', 'opaque@name', true],
    [{ certname: 'web01' }, 'web01', true],
    [['db01', 'web01'], 'web01', true],
  ])('that allows %j, for %s: %s', (allow, who, allowed) => {
    expect(verdict(rules(ANY, { allow }), who, 'GET', '/a').allowed).toBe(allowed);
  });

  it('denies before it allows', () => {
    const both = rules(ANY, { allow: '*.example.com', deny: 'bad.example.com' });
    expect(verdict(both, 'bad.example.com', 'GET', '/a').allowed).toBe(false);
    expect(verdict(both, 'good.example.com', 'GET', '/a').allowed).toBe(true);
  });

  it.each<[Extensions, boolean]>([
    [{ pp_role: 'web', pp_environment: 'test' }, true],
    [{ pp_role: 'db', pp_environment: 'test' }, true],
    [{ pp_role: 'mail', pp_environment: 'test' }, false],
    [{ pp_role: 'web' }, false],
    [{}, false],
  ])('that wants extensions, for %j: %s', (extensions, allowed) => {
    const wanted = { '1.3.6.1.4.1.34380.1.1.13': ['web', 'db'], pp_environment: 'test' };
    expect(verdict(rules(ANY, { allow: { extensions: wanted } }), 'a', 'GET', '/a', extensions).allowed).toBe(allowed);
  });

  it('takes groups of the path for names, never for patterns', () => {
    const own = rules({ path: '^/n/([^/]+)/([^/]+)$', type: 'regex' }, { allow: '$2.$1' });
    expect(verdict(own, 'a.b', 'GET', '/n/b/a').allowed).toBe(true);
    expect(verdict(own, 'a.b', 'GET', '/n/a/b').allowed).toBe(false);
    const star = rules({ path: '^/n/([^/]+)$', type: 'regex' }, { allow: '$1' });
    expect(verdict(star, 'a', 'GET', '/n/*').allowed).toBe(false);
  });

  it('about GET is about HEAD too, whether it allows or denies', () => {
    const open = rules({ ...ANY, method: ['get', 'post'] }, { allow: '*' });
    expect(verdict(open, 'a', 'HEAD', '/a').allowed).toBe(true);
    const shut = rules({ ...ANY, method: 'get' }, { allow: '*', deny: 'a' });
    expect(verdict(shut, 'a', 'HEAD', '/a')).toEqual({ allowed: false, rule: 'one' });
    const other = rules({ ...ANY, method: 'put' }, { allow: '*' });
    expect(verdict(other, 'a', 'HEAD', '/a')).toEqual({ allowed: false, rule: null });
    const alone = rules({ ...ANY, method: 'head' }, { allow: '*' });
    expect(verdict(alone, 'a', 'GET', '/a').allowed).toBe(false);
  });

  it('is about the query when it says so', () => {
    const match = { ...ANY, 'query-params': { environment: ['test', 'dev'] } };
    expect(verdict(rules(match, { allow: '*' }), 'a', 'GET', '/a?environment=dev')).toEqual({
      allowed: true,
      rule: 'one',
    });
    expect(verdict(rules(match, { allow: '*' }), 'a', 'GET', '/a?environment=other')).toEqual({
      allowed: false,
      rule: null,
    });
  });

  it('of the lowest sort order decides, then the first by name', () => {
    const rule = (name: string, order: number, allow: string) =>
      `{ name: ${name}, sort-order: ${order}, match-request { path: "/", type: path }, allow: ${allow} }`;
    const text = `authorization { version: 1, rules: [${rule('b', 2, 'x')}, ${rule('a', 2, 'y')}, ${rule('z', 1, 'z')}] }`;
    expect(verdict(Authorization.read(text), 'z', 'GET', '/')).toEqual({ allowed: true, rule: 'z' });
    expect(verdict(Authorization.read(text), 'y', 'GET', '/')).toEqual({ allowed: false, rule: 'z' });
  });
});

describe('a file of rules', () => {
  const good = { name: 'r', 'sort-order': 1, 'match-request': { path: '/', type: 'path' }, allow: '*' };
  it.each<[string, unknown, string]>([
    ['no rule', 'x', 'An authorization rule should be specified as a map.'],
    ['no name', { ...good, name: undefined }, "An authorization rule does not contain a 'name' key."],
    [
      'a bad order',
      { ...good, 'sort-order': 1000 },
      "authorization rule 'r': the sort-order should be a number from 1 to 999",
    ],
    [
      'a bad type',
      { ...good, 'match-request': { path: '/', type: 'glob' } },
      "authorization rule 'r': the type should be set to either 'path' or 'regex'",
    ],
    [
      'a bad method',
      { ...good, 'match-request': { path: '/', type: 'path', method: 'got' } },
      "authorization rule 'r': 'got' is not one of the methods 'delete', 'get', 'head', 'post', 'put'",
    ],
    [
      'neither allow nor deny',
      { ...good, allow: undefined },
      "authorization rule 'r': it must contain either a 'deny' or 'allow' rule",
    ],
    [
      'both open and allow',
      { ...good, 'allow-unauthenticated': true },
      "authorization rule 'r': it cannot have allow or deny if allow-unauthenticated",
    ],
    [
      'a group that is not there',
      { ...good, allow: '$1' },
      "authorization rule 'r': '$1' refers to a capture group in the path that doesn't exist",
    ],
    ['a bad name', { ...good, allow: 'a b' }, 'invalid domain value: a b'],
    [
      'roles',
      { ...good, allow: { rbac: { permission: 'a:b:c' } } },
      "authorization rule 'r': an entry must contain exactly one of 'certname' or 'extensions', not 'rbac'",
    ],
    [
      'alternative names',
      { ...good, allow: { extensions: { 'subject-alt-name': { 'dns-name': 'a' } } } },
      "authorization rule 'r': entries of subject-alt-name are not supported",
    ],
  ])('with %s is refused', (_, rule, message) => {
    const text = JSON.stringify({ authorization: { version: 1, rules: [rule] } });
    expect(() => Authorization.read(text)).toThrow(message);
  });

  it.each([
    ['{', 'The authorization file cannot be read: '],
    ['a: 1', "The authorization file has no section 'authorization'."],
    ['authorization { version: 2, rules: [] }', 'Unsupported version in the authorization file; it must be 1.'],
    ['authorization { version: 1 }', "'authorization.rules' is not a list."],
    [
      'authorization { version: 1, allow-header-cert-info: true, rules: [] }',
      'allow-header-cert-info is not supported: identity is taken from certificates only.',
    ],
  ])('%s is refused', (text, message) => {
    expect(() => Authorization.read(text)).toThrow(message);
  });
});
