import { beforeEach, expect, it } from 'vitest';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../helpers/http-services.ts';

const PATH = '/puppet/v3/static_file_content/modules/web/files/one.txt';
let http: TestServices;
let first: string;

beforeEach(async () => {
  http = await httpServices();
  const files = (text: string) => ({
    'environments/production/modules/web/files/one.txt': text,
    'environments/production/modules/web/manifests/init.pp': 'secret',
  });
  first = await deployFiles(http, 'production', files('one\n'));
  await deployFiles(http, 'production', files('two\n'));
});

async function get(path: string, who: ReturnType<typeof createPeer> | null = createPeer('web01.example.com')) {
  const response = await http.app.request(path, { headers: { Accept: 'application/octet-stream' } }, { peer: who });
  return { response, answer: [response.status, await response.text()] as const };
}

it('serves the content of the deploy that a catalog was compiled with, after later deploys', async () => {
  const { response, answer } = await get(`${PATH}?environment=production&code_id=${first}`);
  expect(answer).toEqual([200, 'one\n']);
  expect(response.headers.get('Content-Type')).toBe('application/octet-stream');
  expect(response.headers.get('Content-Length')).toBe('4');
  const now = (await http.environments.get('production'))?.codeId;
  expect((await get(`${PATH}?environment=production&code_id=${now}`)).answer).toEqual([200, 'two\n']);
});

it.each([
  [
    'no code id',
    `${PATH}?environment=production`,
    400,
    'Error: A /static_file_content request requires an environment, a code-id, and a file-path',
  ],
  [
    'no environment',
    `${PATH}?code_id=x`,
    400,
    'Error: A /static_file_content request requires an environment, a code-id, and a file-path',
  ],
  [
    'no name of an environment',
    `${PATH}?environment=a-b&code_id=x`,
    400,
    "The environment must be purely alphanumeric, not 'a-b'",
  ],
  [
    'no code id of ours',
    `${PATH}?environment=production&code_id=a/b`,
    400,
    "Invalid code-id 'a/b'. Must contain only alpha-numerics and the following characters: '-', '_', ';', or ':'",
  ],
  [
    'a file that is not in files',
    '/puppet/v3/static_file_content/modules/web/manifests/init.pp?environment=production&code_id=x',
    403,
    'Request Denied: A /static_file_content request must be a file within the files directory of a module.',
  ],
  [
    'an unknown deploy',
    `${PATH}?environment=production&code_id=x`,
    404,
    '{"message":"Not Found: Could not find static_file_content modules/web/files/one.txt (code_id x)","issue_kind":"RESOURCE_NOT_FOUND"}',
  ],
])('refuses %s', async (_, path, status, text) => {
  expect((await get(path)).answer).toEqual([status, text]);
});

it('knows no file of another environment, and no client without a certificate', async () => {
  await deployFiles(http, 'staging', { 'environments/staging/manifests/site.pp': '' });
  expect((await get(`${PATH}?environment=staging&code_id=${first}`)).answer[0]).toBe(404);
  expect((await get(`${PATH}?environment=production&code_id=${first}`, null)).answer[0]).toBe(403);
});
