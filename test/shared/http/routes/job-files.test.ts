import { expect, it } from 'vitest';
import { createPeer, httpServices } from '../../../helpers/http-services.ts';
import { JOB, run } from '../../../helpers/job-records.ts';

const SHA256 = 'ab'.repeat(32);

it('gives the files of a job to nodes that it asked, and to nobody else', async () => {
  const { blobs, services, app } = await httpServices();
  await blobs.put(`jobs/7/files/${SHA256}`, Buffer.from('echo hello\n'));
  await services.jobs.create('job', 7, JOB, { isOpen: true, expiresAt: null });
  await services.jobs.commit('job', 7, 1, { body: JOB, nodes: [run('web01.example.com')] }, 'asked');
  const get = (path: string, certname: string | null = 'web01.example.com') =>
    app.request(`/job-files/${path}`, {}, { peer: certname === null ? null : createPeer(certname) });
  const found = await get(`7/${SHA256}`);
  expect([found.status, await found.text()]).toEqual([200, 'echo hello\n']);
  expect((await get(`7/${SHA256}`, null)).status).toBe(403);
  expect((await get(`7/${SHA256}`, 'web02.example.com')).status).toBe(404);
  expect((await get(`8/${SHA256}`)).status).toBe(404);
  for (const path of [`x/${SHA256}`, '7/short', `7/${SHA256}0`]) expect((await get(path)).status).toBe(404);
});
