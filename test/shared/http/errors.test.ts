import { beforeAll, describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../shared/store/ports/store-errors.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../helpers/http-services.ts';

const BASE = createPeer('base01.example.com');
const JSON_TYPE = 'application/json;charset=utf-8';
const JSON_BODY = { 'Content-Type': 'application/json' };
const TEXT_TYPE = 'text/plain;charset=utf-8';
let http: TestServices;

beforeAll(async () => {
  http = await httpServices();
  await deployFiles(http, 'production', { 'environments/production/modules/profile/files/a.txt': 'a' });
});

async function ask(path: string, init: RequestInit = {}, who: typeof BASE | null = BASE) {
  const response = await http.app.request(path, init, { peer: who });
  return [response.status, response.headers.get('Content-Type'), await response.text()] as const;
}

function issue(message: string, kind = 'RUNTIME_ERROR'): string {
  return JSON.stringify({ message, issue_kind: kind });
}

describe('error bodies are those of Puppet Server', () => {
  it.each<[string, number, string | null, string]>([
    [
      '/puppet/v3/node/base01.example.com?environment=nosuchenv',
      404,
      JSON_TYPE,
      issue("Not Found: Could not find environment 'nosuchenv'"),
    ],
    [
      '/puppet/v3/node/base01.example.com',
      400,
      JSON_TYPE,
      issue('Bad Request: An environment parameter must be specified'),
    ],
    [
      '/puppet/v3/node/base01.example.com?environment=bad-name',
      400,
      JSON_TYPE,
      issue("Bad Request: The environment must be purely alphanumeric, not 'bad-name'"),
    ],
    [
      '/puppet/v3/file_metadatas/plugins?environment=nosuchenv&recurse=true',
      404,
      JSON_TYPE,
      issue("Not Found: Could not find environment 'nosuchenv'"),
    ],
    [
      '/puppet/v3/file_content/modules/profile/nope?environment=production',
      404,
      JSON_TYPE,
      issue('Not Found: Could not find file_content modules/profile/nope', 'RESOURCE_NOT_FOUND'),
    ],
    [
      '/puppet/v3/file_content/modules/profile/../secret?environment=production',
      404,
      JSON_TYPE,
      issue('Not Found: Could not find file_content modules/secret', 'RESOURCE_NOT_FOUND'),
    ],
    [
      '/puppet/v3/file_content/modules/profile/%2e%2e%2f%2e%2e/x?environment=production',
      400,
      null,
      'Invalid relative path (.. or .) in: /puppet/v3/file_content/modules/profile/../../x',
    ],
    [
      '/puppet/v3/file_content/modules/%ff?environment=production',
      400,
      'text/html;charset=iso-8859-1',
      '<h1>Bad Message 400</h1><pre>reason: Bad Request</pre>',
    ],
    [
      '/puppet/v3/file_metadata/modules/profile/nope-vm.txt?links=manage&environment=production',
      404,
      JSON_TYPE,
      issue('Not Found: Could not find file_metadata modules/profile/nope-vm.txt', 'RESOURCE_NOT_FOUND'),
    ],
    [
      '/puppet/v3/file_metadatas/modules/profile/nope?environment=production',
      404,
      JSON_TYPE,
      issue("Not Found: Could not find instances in file_metadata with 'modules/profile/nope'", 'RESOURCE_NOT_FOUND'),
    ],
    [
      '/puppet/v3/file_content/nosuchmount/x?environment=production',
      500,
      JSON_TYPE,
      issue('Server Error: Not authorized to call find on /file_content/nosuchmount/x with {:rest=>"nosuchmount/x"}'),
    ],
    [
      '/puppet/v3/file_metadata/modules/profile/a.txt?environment=production&checksum_type=crc',
      500,
      JSON_TYPE,
      issue('Server Error: Unsupported checksum type crc'),
    ],
    [
      '/puppet/v3/file_metadata/modules/profile/a.txt?environment=production&links=x',
      500,
      JSON_TYPE,
      issue('Server Error: :links can only be set to :manage or :follow'),
    ],
    [
      '/puppet/v3/file_metadatas/modules/profile?environment=production&recurse=true&recurselimit=x',
      500,
      JSON_TYPE,
      issue('Server Error: comparison of Integer with String failed'),
    ],
    [
      '/puppet/v3/catalog/base01.example.com',
      400,
      TEXT_TYPE,
      "The environment must be purely alphanumeric, not 'null'",
    ],
    [
      '/puppet/v3/catalog/base01.example.com?environment=bad-name',
      400,
      TEXT_TYPE,
      "The environment must be purely alphanumeric, not 'bad-name'",
    ],
    [
      `/puppet/v3/file_bucket_file/sha256/${'0'.repeat(64)}/x?environment=production`,
      404,
      JSON_TYPE,
      issue(`Not Found: Could not find file_bucket_file sha256/${'0'.repeat(64)}/x`, 'RESOURCE_NOT_FOUND'),
    ],
    [
      '/puppet/v3/file_bucket_file/sha256/00/x?environment=production',
      500,
      JSON_TYPE,
      issue('Server Error: Invalid checksum "00"'),
    ],
    [
      '/puppet/v3/file_bucket_file/crc/00?environment=production',
      500,
      JSON_TYPE,
      issue('Server Error: Unsupported checksum type "crc"'),
    ],
    ['/puppet-ca/v1/certificate/nosuch', 404, 'text/plain', 'Could not find certificate nosuch'],
    ['/puppet-ca/v1/certificate_request/nosuch', 404, 'text/plain', 'Could not find certificate_request nosuch'],
    ['/status/v1/simple/nosuch', 404, TEXT_TYPE, 'not found: nosuch'],
    [
      '/status/v1/services/nosuch',
      404,
      JSON_TYPE,
      '{"kind":"service-not-found","msg":"No status information found for service nosuch"}',
    ],
    ['/status/v1/services?level=bogus', 400, JSON_TYPE, '{"kind":"data-invalid","msg":"Invalid level: :bogus"}'],
    [
      '/status/v1/services?timeout=0',
      400,
      JSON_TYPE,
      '{"kind":"data-invalid","msg":"Invalid timeout. Timeout must be greater than zero but was 0"}',
    ],
  ])('GET %s', async (path, status, type, body) => {
    expect(await ask(path)).toEqual([status, type, body]);
  });

  it('GET catalog in a format that we do not have', async () => {
    const path = '/puppet/v3/catalog/base01.example.com?environment=production';
    expect(await ask(path, { headers: { Accept: 'text/html' } })).toEqual([
      406,
      JSON_TYPE,
      issue('Not Acceptable: No supported formats are acceptable (Accept: text/html)', 'UNSUPPORTED_FORMAT'),
    ]);
  });

  it('a body that is too large, announced or not', async () => {
    const path = '/puppet-ca/v1/certificate_request/base01.example.com';
    const body = 'x'.repeat(64 * 1024 + 1);
    const expected = [413, JSON_TYPE, issue('Payload Too Large: The request body has more than 65536 bytes')];
    expect(await ask(path, { method: 'PUT', body, headers: { 'Content-Length': String(body.length) } })).toEqual(
      expected,
    );
    expect(await ask(path, { method: 'PUT', body })).toEqual(expected);
  });

  it('a request that is no certificate request', async () => {
    const path = '/puppet-ca/v1/certificate_request/base01.example.com';
    expect(await ask(path, { method: 'PUT', body: 'x' })).toEqual([
      400,
      TEXT_TYPE,
      'The request body is not a certificate request in PEM format',
    ]);
  });

  it.each(['gzip', 'Deflate', 'x-unknown'])('a body with the encoding %s', async (encoding) => {
    const path = '/puppet/v3/catalog/base01.example.com?environment=production';
    const headers = { 'Content-Encoding': encoding };
    expect(await ask(path, { method: 'POST', body: 'x', headers })).toEqual([
      415,
      JSON_TYPE,
      issue(
        `Unsupported Media Type: Client sent a body with the Content-Encoding '${encoding.toLowerCase()}'; only identity is supported`,
        'UNSUPPORTED_MEDIA_TYPE',
      ),
    ]);
  });

  it('a report that is no JSON', async () => {
    const path = '/puppet/v3/report/base01.example.com?environment=production';
    const [status, type, body] = await ask(path, { method: 'PUT', body: 'notjson', headers: JSON_BODY });
    expect([status, type]).toEqual([400, JSON_TYPE]);
    expect(JSON.parse(body).message).toBe(
      "Bad Request: The request body is invalid: Could not intern from json: unexpected token at 'notjson'",
    );
    expect(await ask(path, { method: 'PUT', body: '[]', headers: JSON_BODY })).toEqual([
      400,
      JSON_TYPE,
      issue('Bad Request: The request body is invalid: a report is a JSON object'),
    ]);
  });

  it.each([
    ['{}', 'each', 'nil:NilClass'],
    ['{"metrics":null,"logs":[],"resource_statuses":{}}', 'each', 'nil:NilClass'],
    ['{"metrics":{},"resource_statuses":{}}', 'map', 'nil:NilClass'],
    ['{"metrics":{},"logs":[]}', 'map', 'nil:NilClass'],
    ['{"metrics":{},"logs":"x","resource_statuses":{}}', 'map', "the string that stands for 'logs'"],
  ])('a report that is not whole: %s', async (body, method, receiver) => {
    const path = '/puppet/v3/report/base01.example.com?environment=production';
    const message = `Could not intern from json: undefined method \`${method}' for ${receiver}`;
    expect(await ask(path, { method: 'PUT', body, headers: JSON_BODY })).toEqual([
      400,
      JSON_TYPE,
      issue(`Bad Request: The request body is invalid: ${message}`),
    ]);
  });

  it('a store that does not answer, and a defect of ours', async () => {
    const path = '/puppet/v3/catalog/base01.example.com?environment=production';
    http.catalogs.answers = () => Promise.reject(new StoreUnavailable('down'));
    expect(await ask(path)).toEqual([503, JSON_TYPE, issue('Service Unavailable: the store does not answer')]);
    http.catalogs.answers = () => Promise.reject(new TypeError('a secret detail'));
    expect(await ask(path)).toEqual([
      500,
      JSON_TYPE,
      issue('Server Error: Internal error; the server log has the details'),
    ]);
    expect(http.errors).toHaveLength(2);
  });
});
