import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Identity } from '../../../../shared/access/authorization/access-entry.ts';
import { Authorization } from '../../../../shared/access/authorization/authorization.ts';
import { readTrustedOidMapping, type TrustedNames } from '../../../../shared/access/ca/trusted-oid-mapping.ts';
import { LEVELS, type LevelName } from '../../../../shared/puppet/levels/language.ts';

type Extensions = Readonly<Record<string, string>>;
const FILE = '/etc/understudy/auth.conf';
const ADMIN = { '1.3.6.1.4.1.34380.1.3.39': 'true' };

function verdict(rules: Authorization, who: string | null, method: string, url: string, extensions: Extensions = {}) {
  const { pathname, searchParams } = new URL(url, 'https://puppet');
  const identity = who === null ? null : { certname: who, extensions: new Map(Object.entries(extensions)) };
  return rules.judge({ method, path: pathname, query: searchParams, identity });
}

function read(data: unknown, names?: TrustedNames): Authorization {
  return Authorization.read(JSON.stringify(data), FILE, names);
}

/** The rules of one `match-request` with the given rest, and the last one that denies. */
function rules(match: object, rest: object, order = 500): Authorization {
  const rule = { name: 'one', 'sort-order': order, 'match-request': match, ...rest };
  return read({ authorization: { version: 1, rules: [rule] } });
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
  ['GET', '/puppet/v3/file_bucket_file/md5/00', 'nodes'],
  ['HEAD', '/puppet/v3/file_bucket_file/md5/00', 'nodes'],
  ['PUT', '/puppet/v3/file_bucket_file/md5/00', 'nodes'],
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

/** Requests that a server of the level lets others send. */
const AT_LEVELS: Readonly<Record<LevelName, Readonly<Record<string, string>>>> = {
  'puppet-8': {},
  'openvox-8': {},
  'openvox-9': { 'GET /puppet/v3/file_bucket_file/md5/00': 'admin' },
};
const STANDARD = new Map(LEVELS.map((level) => [level, Authorization.standard(level)]));

describe.each(LEVELS)('the standard rules of %s', (level) => {
  const standard = STANDARD.get(level) ?? expect.unreachable();

  describe.each(Object.entries(CLIENTS))('for %s', (_, [who, extensions, kinds]) => {
    it.each(TABLE)('%s %s', (method, path, whose) => {
      const expected = AT_LEVELS[level][`${method} ${path}`] ?? whose;
      const may = kinds.some((kind) => kind === expected);
      expect(verdict(standard, who, method, path, extensions).allowed).toBe(may);
    });
  });

  const SHIPPED = '/etc/puppet/puppetserver/conf.d/auth.conf';
  it.skipIf(level !== 'puppet-8' || !existsSync(SHIPPED))(
    'say what the auth.conf of an installed Puppet Server says',
    () => {
      const shipped = Authorization.read(readFileSync(SHIPPED, 'utf8'), SHIPPED);
      const ours = /^\/(packages|understudy)\/|certificate_renewal|\/sign/;
      for (const [who, extensions] of Object.values(CLIENTS)) {
        for (const [method, path] of TABLE.filter(([, path]) => !ours.test(path))) {
          const both = [shipped, standard].map((one) => verdict(one, who, method, path, extensions));
          expect([method, path, who, both[1]]).toEqual([method, path, who, both[0]]);
        }
      }
    },
  );
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
    expect(verdict(Authorization.read(text, FILE), 'z', 'GET', '/')).toEqual({ allowed: true, rule: 'z' });
    expect(verdict(Authorization.read(text, FILE), 'y', 'GET', '/')).toEqual({ allowed: false, rule: 'z' });
  });
});

describe('certificate extensions by the names of the operator', () => {
  const OWN = '1.3.6.1.4.1.34380.1.2.7';
  const OUTSIDE = '1.3.6.1.4.1.99999.1';
  const definition = (oid: string, short: string) => `  ${oid}:\n    shortname: ${short}\n    longname: The ${short}\n`;
  const names = readTrustedOidMapping(
    `oid_mapping:\n${definition(OWN, 'rack')}${definition(OUTSIDE, 'owner')}`,
    'mapping.yaml',
  );
  const who: Identity = {
    certname: 'a',
    extensions: new Map([
      [OWN, 'r7'],
      ['pp_role', 'web'],
    ]),
    extensionsOutsideTrusted: new Map([[OUTSIDE, 'us']]),
  };

  it.each<[Readonly<Record<string, unknown>>, boolean]>([
    [{ rack: 'r7' }, true],
    [{ rack: ['r6', 'r7'] }, true],
    [{ rack: 'r8' }, false],
    [{ [OWN]: 'r7' }, true],
    [{ rack: 'r7', pp_role: 'web' }, true],
    [{ rack: 'r7', pp_role: 'db' }, false],
    [{ '1.3.6.1.4.1.34380.1.1.13': 'web' }, true],
    [{ owner: 'us' }, true],
    [{ [OUTSIDE]: 'us' }, true],
    [{ '1.2.3.4': 'us' }, false],
  ])('%j: %s', (extensions, allowed) => {
    const rule = { name: 'one', 'sort-order': 1, 'match-request': { path: '/', type: 'path' }, allow: { extensions } };
    const judged = read({ authorization: { version: 1, rules: [rule] } }, names).judge({
      method: 'GET',
      path: '/a',
      query: new URLSearchParams(),
      identity: who,
    });
    expect(judged.allowed).toBe(allowed);
  });

  it('keep out by them, too', () => {
    const denying = { allow: '*', deny: [{ extensions: { rack: 'r7' } }] };
    const rule = { name: 'one', 'sort-order': 1, 'match-request': { path: '/', type: 'path' }, ...denying };
    const judge = (identity: Identity) =>
      read({ authorization: { version: 1, rules: [rule] } }, names).judge({
        method: 'GET',
        path: '/a',
        query: new URLSearchParams(),
        identity,
      }).allowed;
    expect(judge(who)).toBe(false);
    expect(judge({ ...who, extensions: new Map() })).toBe(true);
  });
});

describe('alternative names of a certificate', () => {
  const who: Identity = {
    certname: 'web01',
    extensions: new Map(),
    alternativeNames: [
      { kind: 'dns-name', name: 'www.example.com' },
      { kind: 'ip', name: '192.168.1.10' },
    ],
  };
  it.each<[string, unknown, boolean]>([
    ['a DNS name', 'www.example.com', true],
    ['a DNS name by a wildcard', '*.example.com', true],
    ['a DNS name by an expression', '/^www\\./', true],
    ['an address that is no DNS name', '/192/', false],
    ['one of the kinds', { extensions: { 'subject-alt-name': { 'dns-name': ['a', 'www.example.com'] } } }, true],
    ['any kind', { extensions: { 'subject-alt-name': { 'dns-name': 'a', ip: '192.168.1.10' } } }, true],
    ['no kind', { extensions: { 'subject-alt-name': { ip: 'www.example.com' } } }, false],
    ['and an extension', { extensions: { pp_role: 'web', 'subject-alt-name': { ip: '192.168.1.10' } } }, false],
  ])('%s', (_, allow, allowed) => {
    const judged = rules({ path: '/', type: 'path' }, { allow }).judge({
      method: 'GET',
      path: '/a',
      query: new URLSearchParams(),
      identity: who,
    });
    expect(judged.allowed).toBe(allowed);
  });

  it('are no names that a path may ask for', () => {
    const own = rules({ path: '^/n/([^/]+)$', type: 'regex' }, { allow: '$1' });
    const ask = (name: string) =>
      own.judge({ method: 'GET', path: `/n/${name}`, query: new URLSearchParams(), identity: who }).allowed;
    expect([ask('web01'), ask('www.example.com')]).toEqual([true, false]);
  });
});

describe('a request that no certificate comes with', () => {
  it('is let in where a rule says so, and nowhere else', () => {
    const match = { path: '/a', type: 'path' };
    expect(verdict(rules(match, { 'allow-unauthenticated': true }), null, 'GET', '/a').allowed).toBe(true);
    expect(verdict(rules(match, { allow: '*' }), null, 'GET', '/a').allowed).toBe(false);
    const said = rules(match, { 'allow-unauthenticated': false, allow: '*' });
    expect(verdict(said, null, 'GET', '/a').allowed).toBe(false);
    expect(verdict(said, 'x', 'GET', '/a').allowed).toBe(true);
  });
});

describe('the path of a rule', () => {
  it.each<[object, string, boolean]>([
    [{ path: '/my', type: 'path' }, '/my/path', true],
    [{ path: '/my', type: 'path' }, '/mypath', true],
    [{ path: '/my', type: 'path' }, '/other/my', false],
    [{ path: '/a.b', type: 'path' }, '/axb', false],
    [{ path: '^/my/[^/]+$', type: 'regex' }, '/my/path', true],
    [{ path: '^/my/[^/]+$', type: 'regex' }, '/my/path/more', false],
    [{ path: 'my', type: 'regex' }, '/anywhere/my/x', true],
    [{ path: '(?i)^/MY', type: 'regex' }, '/my', true],
  ])('%j, for %s: %s', (match, path, allowed) => {
    expect(verdict(rules(match, { allow: '*' }), 'a', 'GET', path).allowed).toBe(allowed);
  });

  it.each<[object, string, boolean]>([
    [{ oneparam: ['a', 'b'], twoparam: 'c' }, '?oneparam=a&twoparam=c', true],
    [{ oneparam: ['a', 'b'], twoparam: 'c' }, '?oneparam=a&twoparam=c&threeparam=x', true],
    [{ oneparam: ['a', 'b'], twoparam: 'c' }, '?oneparam=a&oneparam=x&twoparam=c', true],
    [{ oneparam: ['a', 'b'], twoparam: 'c' }, '?threeparam=x', false],
    [{ oneparam: ['a', 'b'], twoparam: 'c' }, '?oneparam=a', false],
    [{ oneparam: ['a', 'b'], twoparam: 'c' }, '', false],
  ])('with query-params %j, for %s: %s', (parameters, query, allowed) => {
    const match = { path: '/a', type: 'path', 'query-params': parameters };
    expect(verdict(rules(match, { allow: '*' }), 'a', 'GET', `/a${query}`).allowed).toBe(allowed);
  });
});

describe('a file of rules', () => {
  const match = { path: '/', type: 'path' };
  const good = { name: 'r', 'sort-order': 1, 'match-request': match, allow: '*' };
  const matching = (rest: object) => ({ ...good, 'match-request': { ...match, ...rest } });
  it.each<[string, unknown, string]>([
    ['no rule', 'x', 'rules[0]: it should be a map'],
    ['no name', { ...good, name: undefined }, "rules[0]: it has no 'name' that is a string"],
    ['a bad order', { ...good, 'sort-order': 1000 }, "rules[0] 'r'.sort-order: it should be a number from 1 to 999"],
    ['no order', { ...good, 'sort-order': undefined }, "rules[0] 'r'.sort-order: it should be a number from 1 to 999"],
    ['no match', { ...good, 'match-request': undefined }, "rules[0] 'r'.match-request: it should be a map"],
    ['no path', matching({ path: undefined }), "rules[0] 'r'.match-request.path: it should be a string"],
    [
      'a bad type',
      matching({ type: 'glob' }),
      "rules[0] 'r'.match-request.type: it should be either 'path' or 'regex'",
    ],
    [
      'a bad expression',
      matching({ type: 'regex', path: '(' }),
      "rules[0] 'r'.match-request.path: '(' is not a regular expression that can be used here: ",
    ],
    [
      'a bad method',
      matching({ method: ['get', 'got'] }),
      "rules[0] 'r'.match-request.method: 'got' is not one of the methods 'delete', 'get', 'head', 'post', 'put'",
    ],
    [
      'bad parameters of the query',
      matching({ 'query-params': { environment: 1 } }),
      "rules[0] 'r'.match-request.query-params.environment: it should be a string or a list of strings",
    ],
    [
      'a setting that is none',
      matching({ methods: 'get' }),
      "rules[0] 'r'.match-request: 'methods' is not one of its settings: path, type, method, query-params",
    ],
    [
      'a setting of a rule that is none',
      { ...good, 'allow-unautenticated': true },
      "rules[0] 'r': 'allow-unautenticated' is not one of its settings: ",
    ],
    [
      'neither allow nor deny',
      { ...good, allow: undefined },
      "rules[0] 'r': it must contain either a 'deny' or 'allow' rule",
    ],
    [
      'both open and allow',
      { ...good, 'allow-unauthenticated': true },
      "rules[0] 'r': it cannot have 'allow' or 'deny' with 'allow-unauthenticated'",
    ],
    [
      'neither open nor not',
      { ...good, 'allow-unauthenticated': 'yes' },
      "rules[0] 'r'.allow-unauthenticated: it should be true or false",
    ],
    [
      'a group that is not there',
      { ...good, allow: ['a', '$1'] },
      "rules[0] 'r'.allow[1]: '$1' refers to a capture group in the path that doesn't exist",
    ],
    ['a bad name', { ...good, deny: ['a', 'a b'] }, "rules[0] 'r'.deny[1]: invalid domain value: a b"],
    ['a bad expression of names', { ...good, deny: '/(/' }, "rules[0] 'r'.deny: '(' is not a regular expression"],
    [
      'roles',
      { ...good, allow: { rbac: { permission: 'a:b:c' } } },
      "rules[0] 'r'.allow: it must contain exactly one of 'certname' or 'extensions', not 'rbac'",
    ],
    [
      'an entry that is none',
      { ...good, allow: 7 },
      "rules[0] 'r'.allow: it should be a string, or a map with 'certname' or 'extensions'",
    ],
    [
      'an extension that nothing is called by',
      { ...good, allow: [{ extensions: { pp_rol: 'a' } }] },
      "rules[0] 'r'.allow[0].extensions.pp_rol: neither Puppet nor the trusted OID mapping knows a certificate extension of this name",
    ],
    ['no extension', { ...good, allow: { extensions: {} } }, "rules[0] 'r'.allow.extensions: it names no extension"],
    [
      'an extension with a number',
      { ...good, allow: { extensions: { pp_role: 7 } } },
      "rules[0] 'r'.allow.extensions.pp_role: it should be a string or a list of strings",
    ],
    [
      'an alternative name of no kind',
      { ...good, allow: { extensions: { 'subject-alt-name': { 'other-name': 'a' } } } },
      "rules[0] 'r'.allow.extensions.subject-alt-name.other-name: it should be one of dns-name, ip, ",
    ],
  ])('with %s is refused', (_, rule, message) => {
    expect(() => read({ authorization: { version: 1, rules: [rule] } })).toThrow(`${FILE}: authorization.${message}`);
  });

  it('with two rules of one name is refused', () => {
    expect(() => read({ authorization: { version: 1, rules: [good, { ...good, name: 's' }, good] } })).toThrow(
      `${FILE}: authorization.rules[2] 'r': another rule has this name; rules must be uniquely named`,
    );
  });

  it.each([
    ['{', 'it cannot be read: '],
    ['a: 1', 'authorization: it should be a map'],
    ['authorization { version: 2, rules: [] }', 'authorization.version: unsupported or missing; it must be 1'],
    ['authorization { version: 1 }', 'authorization.rules: it should be a list'],
    ['authorization { version: 1, rules: [], ruels: [] }', "authorization: 'ruels' is not one of its settings: "],
    [
      'authorization { version: 1, allow-header-cert-info: maybe, rules: [] }',
      'authorization.allow-header-cert-info: it is not a boolean',
    ],
    [
      'authorization { version: 1, allow-header-cert-info: true, rules: [] }',
      'authorization.allow-header-cert-info: true is not supported: identity is taken from certificates only',
    ],
  ])('%s is refused', (text, message) => {
    expect(() => Authorization.read(text, FILE)).toThrow(`${FILE}: ${message}`);
  });

  it('may say that headers tell nothing', () => {
    const text = 'authorization { version: 1, allow-header-cert-info: false, rules: [] }';
    expect(
      Authorization.read(text, FILE).judge({ method: 'GET', path: '/', query: new URLSearchParams(), identity: null }),
    ).toEqual({
      allowed: false,
      rule: null,
    });
  });
});
