import { expect, it } from 'vitest';
import { createPeer, httpServices } from '../../../helpers/http-services.ts';

const SHA256 = 'ab'.repeat(32);

it('gives the files of a job to nodes, and to nobody else', async () => {
  const http = await httpServices();
  await http.blobs.put(`jobs/7/files/${SHA256}`, Buffer.from('echo hello\n'));
  const get = (path: string, who: ReturnType<typeof createPeer> | null = createPeer('web01.example.com')) =>
    http.app.request(`/job-files/${path}`, {}, { peer: who });
  const found = await get(`7/${SHA256}`);
  expect([found.status, await found.text()]).toEqual([200, 'echo hello\n']);
  expect((await get(`7/${SHA256}`, null)).status).toBe(403);
  expect((await get(`8/${SHA256}`)).status).toBe(404);
  for (const path of [`x/${SHA256}`, '7/short', `7/${SHA256}0`]) expect((await get(path)).status).toBe(404);
});
