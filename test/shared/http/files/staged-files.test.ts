import { beforeEach, expect, it } from 'vitest';
import { nextRecord } from '../../../../shared/fleet/fan-out/end-stage.ts';
import { createStagePlan } from '../../../../shared/fleet/stages/stage-plan.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../../helpers/http-services.ts';

const CANARY = 'web01.example.com';
const OTHER = 'web02.example.com';
let http: TestServices;

beforeEach(async () => {
  http = await httpServices();
  const files = (text: string) => ({
    'environments/production/modules/web/lib/facter/one.rb': text,
    'environments/production/modules/web/files/one.txt': text,
  });
  const codeId = await deployFiles(http, 'production', files('new\n'));
  await deployFiles(http, 'production', files('old\n'));
  const record = await http.environments.get('production');
  if (!record) throw new Error('nothing is deployed');
  const stage = {
    number: record.revision + 1,
    codeId,
    begunAt: 5_000,
    by: 'jane',
    canaries: [CANARY],
    plan: createStagePlan({}),
  };
  await http.environments.replace(nextRecord(record, stage), record.revision);
});

async function get(certname: string, path: string, accept = 'application/octet-stream'): Promise<string> {
  const response = await http.app.request(path, { headers: { Accept: accept } }, { peer: createPeer(certname) });
  expect(response.status).toBe(200);
  return response.text();
}

it.each([
  ['content', '/puppet/v3/file_content/modules/web/one.txt?environment=production'],
  ['plugins', '/puppet/v3/file_content/plugins/facter/one.rb?environment=production'],
])('serves a canary the %s of its stage, and other nodes those of their code', async (_, path) => {
  expect([await get(CANARY, path), await get(OTHER, path)]).toEqual(['new\n', 'old\n']);
});

it.each([
  ['file_metadata/plugins/facter/one.rb?environment=production'],
  ['file_metadatas/plugins?environment=production&recurse=true&checksum_type=sha256'],
  ['file_metadatas/modules/web?environment=production&recurse=true&checksum_type=sha256'],
])('tells each node the metadata of what it gets: %s', async (path) => {
  const [canary, other] = [
    await get(CANARY, `/puppet/v3/${path}`, 'application/json'),
    await get(OTHER, `/puppet/v3/${path}`, 'application/json'),
  ];
  const digests = (text: string) => [...new Set(text.match(/[0-9a-f]{64}/g))];
  expect(digests(canary)).not.toEqual(digests(other));
  expect(await get(CANARY, `/puppet/v3/${path}`, 'application/json')).toBe(canary);
});
