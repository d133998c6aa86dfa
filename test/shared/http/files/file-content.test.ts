import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createApp } from '../../../../shared/http/app.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../../helpers/http-services.ts';

const TEXT = 'a static source file\n';
const ETAG = `"${createHash('sha256').update(TEXT).digest('hex')}"`;
const PATH = '/puppet/v3/file_content/modules/profile/source.txt?environment=production';
let http: TestServices;

beforeAll(async () => {
  http = await httpServices();
  await deployFiles(http, 'production', {
    'environments/production/modules/profile/files/source.txt': TEXT,
    'environments/production/modules/profile/files/empty.txt': '',
  });
});

async function get(headers: Record<string, string>, method = 'GET', bindings = {}, path = PATH) {
  return http.app.request(path, { method, headers }, { peer: createPeer('web01.example.com'), ...bindings });
}

describe('file_content', () => {
  it.each<[string, string, string]>([
    ['bytes=2-7', 'static', `bytes 2-7/${TEXT.length}`],
    ['bytes=9-', 'source file\n', `bytes 9-20/${TEXT.length}`],
    ['bytes=-5', 'file\n', `bytes 16-20/${TEXT.length}`],
  ])('sends the range %s', async (range, text, contentRange) => {
    const response = await get({ Range: range });
    expect([response.status, await response.text()]).toEqual([206, text]);
    expect(response.headers.get('Content-Range')).toBe(contentRange);
    expect(response.headers.get('Content-Length')).toBe(String(text.length));
  });

  it('sends the content of an earlier deploy by its code id', async () => {
    const codeId = (await http.environments.get('production'))?.codeId;
    await deployFiles(http, 'production', { 'environments/production/modules/profile/files/source.txt': 'later\n' });
    expect(await (await get({})).text()).toBe('later\n');
    expect(await (await get({}, 'GET', {}, `${PATH}&code_id=${codeId}`)).text()).toBe(TEXT);
    await deployFiles(http, 'production', {
      'environments/production/modules/profile/files/source.txt': TEXT,
      'environments/production/modules/profile/files/empty.txt': '',
    });
  });

  it.each([
    [
      'none',
      404,
      '{"message":"Not Found: Could not find code none of the environment production","issue_kind":"RESOURCE_NOT_FOUND"}',
    ],
    ['../x', 400, "Invalid code-id '../x'"],
  ])('refuses the code id %s', async (codeId, status, text) => {
    const response = await get({}, 'GET', {}, `${PATH}&code_id=${codeId}`);
    expect([response.status, await response.text()]).toEqual([status, text]);
  });

  it('answers 416 to a range behind the end', async () => {
    const response = await get({ Range: 'bytes=21-' });
    expect([response.status, await response.text()]).toEqual([416, '']);
    expect(response.headers.get('Content-Range')).toBe('bytes */21');
  });

  it.each<[Record<string, string>, number]>([
    [{ Range: 'bytes=0-1', 'If-Range': ETAG }, 206],
    [{ Range: 'bytes=0-1', 'If-Range': '"another"' }, 200],
    [{ 'If-None-Match': ETAG }, 304],
    [{ 'If-None-Match': `"x", W/${ETAG}` }, 304],
    [{ 'If-None-Match': '"x"' }, 200],
  ])('answers %j with %i', async (headers, status) => {
    const response = await get(headers);
    expect([response.status, response.headers.get('ETag')]).toEqual([status, ETAG]);
  });

  it('tells size and type to HEAD, and reads nothing', async () => {
    const { blobs } = http;
    const stream = blobs.stream;
    blobs.stream = () => Promise.reject(new Error('read'));
    const response = await get({}, 'HEAD');
    blobs.stream = stream;
    expect([response.status, await response.text(), response.headers.get('Content-Length')]).toEqual([200, '', '21']);
  });

  it('sends an empty file', async () => {
    const path = '/puppet/v3/file_content/modules/profile/empty.txt?environment=production';
    const response = await get({}, 'GET', {}, path);
    expect([response.status, await response.text(), response.headers.get('Content-Length')]).toEqual([200, '', '0']);
  });

  it('says so when the transport cannot carry the file, or where it can be had', async () => {
    const refused = await get({}, 'GET', { largestAnswer: 20 });
    expect([refused.status, await refused.json()]).toEqual([
      500,
      {
        message:
          'Server Error: The answer has 21 bytes, and this front door can send 20 at most: let the agent use an edge',
        issue_kind: 'RUNTIME_ERROR',
      },
    ]);
    expect((await get({ Range: 'bytes=0-9' }, 'GET', { largestAnswer: 20 })).status).toBe(206);
    const settings = { ...http.services.settings, largeAnswersAt: 'https://edge.example.com:8140' };
    const elsewhere = await createApp({ ...http.services, settings }).request(
      PATH,
      {},
      { peer: createPeer('web01.example.com'), largestAnswer: 20 },
    );
    expect([elsewhere.status, elsewhere.headers.get('Location')]).toEqual([
      307,
      `https://edge.example.com:8140${PATH}`,
    ]);
  });

  it.each([
    ['is cut short', (bytes: Uint8Array) => bytes.subarray(0, -1)],
    ['has other bytes', (bytes: Uint8Array) => bytes.map((byte) => byte ^ 1)],
  ])('never sends all of a file that %s, and has it uploaded again', async (_, damage) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const digest = ETAG.slice(1, -1);
    const bytes = http.blobs.blobs.get(`files/${digest}`) ?? new Uint8Array();
    http.blobs.blobs.set(`files/${digest}`, damage(bytes));
    const response = await get({});
    const body = response.status === 200 ? await response.text().catch((error: Error) => error.message) : null;
    http.blobs.blobs.set(`files/${digest}`, bytes);
    expect([response.status, body]).toEqual(
      response.status === 200 ? [200, `blob files/${digest} is damaged: deploy its environment again`] : [503, null],
    );
    expect([...http.blobs.blobs.keys()]).toContain(`damaged/${digest}`);
    expect(warn.mock.calls).toEqual([
      [`Blob files/${digest} is damaged and counts as missing: its content does not have the digest in its name`],
    ]);
    warn.mockRestore();
  });

  it('answers 503 when the store lost the file', async () => {
    const digest = ETAG.slice(1, -1);
    const bytes = http.blobs.blobs.get(`files/${digest}`);
    http.blobs.blobs.delete(`files/${digest}`);
    const response = await get({});
    if (bytes) http.blobs.blobs.set(`files/${digest}`, bytes);
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '30']);
  });
});
