import { gzipSync } from 'node:zlib';
import type { SeededChance } from './seeded-chance.ts';

/** A request as it goes into the app, or onto the wire. */
export interface FuzzRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly certname: string | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array<ArrayBuffer> | null;
}

const CERTNAME = 'web01.example.com';
const ROUTES: readonly string[] = [
  `/puppet/v3/catalog/${CERTNAME}`,
  `/puppet/v3/facts/${CERTNAME}`,
  `/puppet/v3/report/${CERTNAME}`,
  `/puppet/v3/node/${CERTNAME}`,
  '/puppet/v3/file_metadata/modules/profile/a.txt',
  '/puppet/v3/file_metadatas/plugins',
  '/puppet/v3/file_metadatas/modules/profile/tree',
  '/puppet/v3/file_content/modules/profile/a.txt',
  '/puppet/v3/static_file_content/modules/profile/files/a.txt',
  `/puppet/v3/file_bucket_file/sha256/${'a'.repeat(64)}//tmp/x`,
  '/puppet/v3/environments',
  '/puppet/v3/environment_classes',
  '/puppet/v3/tasks/profile/init',
  '/puppet/v4/catalog',
  `/puppet-ca/v1/certificate_request/${CERTNAME}`,
  '/puppet-ca/v1/certificate/ca',
  '/puppet-ca/v1/certificate_statuses/all',
  '/puppet-ca/v1/certificate_revocation_list/ca',
  '/puppet-admin-api/v1/environment-cache',
  '/status/v1/services',
  '/status/v1/simple/master',
  '/code-manager/v1/deploys',
  '/file-sync/v1/latest-commits',
  '/packages/current/install.bash',
  '/understudy/v1/nodes',
  '/metrics',
  '/metrics/v2/read/x',
];
const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS'];
const ODD_TEXTS: readonly string[] = [
  ...[
    '',
    '%',
    '%00',
    '%0d%0a',
    '%ff',
    '%c0%ae',
    '..',
    '%2e%2e%2f',
    '.',
    '//',
    '\\',
    '%5c',
    '*',
    '{}',
    '[object Object]',
  ],
  ...[
    'null',
    'undefined',
    'NaN',
    '-1',
    '1e999',
    '0x10',
    '__proto__',
    'constructor',
    'toString',
    'true',
    '9'.repeat(400),
  ],
  ...[
    '%F0%9F%98%80',
    '%ED%A0%80',
    '‮',
    'ß',
    "' OR 1=1",
    '<script>',
    '$jndi',
    '\u0000',
    'a'.repeat(5000),
    '%'.repeat(500),
  ],
];
const PARAMETERS: readonly string[] = [
  ...['environment', 'links', 'recurse', 'recurselimit', 'ignore', 'checksum_type', 'source_permissions', 'max_files'],
  ...['facts', 'facts_format', 'level', 'timeout', 'code_id', 'list_all', 'diff_with', 'transaction_uuid', 'x'],
];
const VALUES: readonly string[] = ['production', 'true', 'false', 'manage', 'follow', 'sha256', 'md5', '1', 'infinite'];
const HEADERS: readonly string[] = [
  ...[
    'Accept',
    'Accept-Encoding',
    'Content-Type',
    'Content-Encoding',
    'If-None-Match',
    'If-Range',
    'If-Modified-Since',
  ],
  ...['Range', 'X-Authentication', 'Authorization', 'Expect', 'X-Forwarded-For', 'Cookie', 'X-Client-DN'],
];
const HEADER_VALUES: readonly string[] = [
  ...[
    '*/*',
    'application/json',
    'text/pson',
    'gzip',
    'gzip;q=banana',
    'bytes=0-',
    'bytes=-1',
    'bytes=9-1,2-',
    'identity;q=0',
  ],
  ...[
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'multipart/form-data; boundary=',
    '',
    ',;=',
    'x'.repeat(4000),
  ],
];

/** Returns a request that is almost right, and wrong in one or several ways. */
export function malformedRequest(chance: SeededChance): FuzzRequest {
  const route = chance.of(ROUTES);
  const method = chance.often(0.7) ? usualMethod(route) : chance.of(METHODS);
  return {
    method,
    url: `${path(chance, route)}${query(chance)}`,
    certname: chance.often(0.8) ? CERTNAME : chance.of([null, 'other.example.com', '..', '__proto__']),
    headers: chance.times(
      4,
      () => [chance.of(HEADERS), chance.often(0.5) ? chance.of(HEADER_VALUES) : headerText(chance)] as const,
    ),
    body: method === 'GET' || method === 'HEAD' || chance.often(0.2) ? null : body(chance),
  };
}

function usualMethod(route: string): string {
  if (/catalog\/|v4|deploys/.test(route)) return 'POST';
  return /facts|report|bucket|_request/.test(route) ? 'PUT' : 'GET';
}

function path(chance: SeededChance, route: string): string {
  const segments = route.split('/');
  for (let changes = chance.often(0.6) ? 0 : 1 + chance.below(2); changes > 0; changes -= 1) {
    const at = 1 + chance.below(segments.length - 1);
    segments.splice(at, chance.below(2), chance.of(ODD_TEXTS));
  }
  return segments.join('/').replace(/[?#]/g, '');
}

function query(chance: SeededChance): string {
  if (chance.often(0.1)) return chance.of(['', '?', '?&&&=', `?${chance.of(ODD_TEXTS)}`]);
  const pairs = chance.times(5, () => `${chance.of(PARAMETERS)}=${chance.of(chance.often(0.6) ? VALUES : ODD_TEXTS)}`);
  if (chance.often(0.8)) pairs.push('environment=production');
  return `?${pairs.join('&')}`.replaceAll('#', '');
}

function headerText(chance: SeededChance): string {
  return chance.of(ODD_TEXTS).replace(/[^\x20-\x7e]/g, '?');
}

function body(chance: SeededChance): Uint8Array<ArrayBuffer> {
  const text = chance.of<() => string>([
    () => form(chance),
    () => form(chance),
    () => JSON.stringify(document(chance, 0)),
    () => factsText(chance),
    () => '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n',
    () => chance.of(ODD_TEXTS),
    () => '',
  ])();
  const bytes = Buffer.from(text);
  if (chance.often(0.1)) return Uint8Array.from(gzipSync(bytes));
  if (chance.often(0.15))
    for (let flips = chance.below(8); flips >= 0; flips -= 1) bytes[chance.below(bytes.length)] = chance.below(256);
  return Uint8Array.from(chance.often(0.1) ? bytes.subarray(0, chance.below(bytes.length + 1)) : bytes);
}

/** Returns a form as agents post it, with more or less valid facts. */
function form(chance: SeededChance): string {
  const facts = factsText(chance);
  const encoded = chance.often(0.8) ? encodeURIComponent(wellFormed(facts)) : facts;
  const pairs = [
    `facts_format=${chance.of(['application%2Fjson', 'pson', 'yaml', '', '%'])}`,
    `facts=${chance.often(0.9) ? encodeURIComponent(wellFormed(encoded)) : encoded}`,
    ...chance.times(2, () => `${chance.of(PARAMETERS)}=${chance.of(ODD_TEXTS)}`),
  ];
  return pairs.join(chance.often(0.95) ? '&' : ';');
}

/** Replaces lone surrogates, which encodeURIComponent rejects. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}

function factsText(chance: SeededChance): string {
  if (chance.often(0.05)) return nested(chance);
  const facts = {
    name: chance.often(0.8) ? CERTNAME : document(chance, 3),
    values: chance.often(0.8) ? { ...object(chance, 0) } : document(chance, 0),
    timestamp: chance.of(ODD_TEXTS),
    ...(chance.often(0.2) ? object(chance, 2) : {}),
  };
  const text = JSON.stringify(facts);
  if (chance.often(0.1)) return text.replace('"values"', '"values":{"a":1},"values"');
  if (chance.often(0.1)) return text.replaceAll('"', "'");
  return chance.often(0.1) ? text.slice(0, chance.below(text.length)) : text;
}

/** Nests arrays or objects, up to deeper than any stack. */
function nested(chance: SeededChance): string {
  const depth = chance.of([50, 1000, 100_000]);
  const [open, close] = chance.of([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const);
  const inner = `${open.repeat(depth)}1${chance.often(0.8) ? close.repeat(depth) : ''}`;
  return chance.often(0.5) ? inner : `{"name":"${CERTNAME}","values":{"deep":${inner}}}`;
}

function document(chance: SeededChance, depth: number): unknown {
  if (depth > 4 || chance.often(0.4)) return scalar(chance);
  return chance.often(0.5) ? object(chance, depth + 1) : chance.times(4, () => document(chance, depth + 1));
}

function object(chance: SeededChance, depth: number): Record<string, unknown> {
  const keys = chance.times(5, () => chance.of(['os', 'networking', 'a', ...ODD_TEXTS]));
  return Object.fromEntries(keys.map((key) => [key, document(chance, depth + 1)]));
}

function scalar(chance: SeededChance): unknown {
  return chance.of<unknown>([
    ...[
      null,
      true,
      false,
      0,
      -0,
      1.5,
      1e308,
      -1e-308,
      2 ** 53,
      Number.MAX_SAFE_INTEGER,
      '',
      'x'.repeat(3000),
      '\ud800',
    ],
    ...['\u0000', '𝒳', '1970-01-01', 'undef', '$facts'],
    ...ODD_TEXTS,
  ]);
}
