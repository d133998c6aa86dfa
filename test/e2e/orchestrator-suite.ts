import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPuppet } from '../helpers/puppet.ts';
import type { NodeAgent } from './node-agent.ts';
import { type MakeAgent, OrchestratedSite, waitUntil } from './orchestrated-site.ts';

const EXPORTER = 'exporter.example.com';
const COLLECTOR = 'collector.example.com';
const BROKEN = 'broken.example.com';
const SECRET = 'correct horse battery staple';

const FILES = {
  'manifests/site.pp': `node '${EXPORTER}' {
  @@notify { 'exported': message => $facts['greeting'] }
}
node '${COLLECTOR}' { Notify <<| |>> }
node '${BROKEN}' {
  file { "\${facts['e2e_root']}/missing/file": content => 'a folder is missing' }
}
`,
  'site/demo/tasks/show.json': JSON.stringify({
    supports_noop: true,
    input_method: 'stdin',
    parameters: {
      count: { type: 'Integer[1, 5]' },
      password: { type: 'String[1]', sensitive: true },
    },
  }),
  'site/demo/tasks/show.sh': '#!/bin/sh\ncat\n',
};

/** Declares the tests of the orchestrator and real puppet agents, which `makeAgent` makes. */
export function testOrchestrator(through: string, makeAgent: MakeAgent): void {
  describe.skipIf(!hasPuppet())(`the orchestrator and real puppet agents, through ${through}`, () => {
    let site: OrchestratedSite;
    let exporter: NodeAgent;
    let collector: NodeAgent;
    let broken: NodeAgent;

    beforeAll(async () => {
      site = await OrchestratedSite.create(FILES, makeAgent);
      await site.start();
      [exporter, collector, broken] = await Promise.all([
        site.addNode(EXPORTER),
        site.addNode(COLLECTOR),
        site.addNode(BROKEN),
      ]);
    });
    afterAll(() => site.close());

    it('run Puppet on nodes, of which one fails', async () => {
      const printed = await site.run('job', 'run', '--nodes', `${EXPORTER},${BROKEN}`);
      expect(printed).toContain(`Finished node ${EXPORTER} - SUCCESS!`);
      expect(printed).toContain(`Finished node ${BROKEN} - FAILED!`);
      expect(printed).toContain('Job failed. 1 node failed, 0 nodes skipped, 1 node succeeded.');
      expect(site.exitCode).toBe(1);
      const { [BROKEN]: node } = await site.waitForJob('1');
      // The report of the run is there, and is named.
      expect(node).toMatchObject({ state: 'failed', result: { status: 'failed', metrics: { failed: 1 } } });
      expect(node?.transaction_uuid).toMatch(/^[0-9a-f-]{36}$/);
      expect(broken.begun[0]).toEqual({ what: 'pxp-module-puppet run', job: '1' });
    });

    it('run a task with parameters, of which one is sensitive, and without changes', async () => {
      const params = { count: 3, password: SECRET };
      const nodes = ['--nodes', `${EXPORTER},${COLLECTOR}`];
      const printed = await site.run(
        'task',
        'run',
        'demo::show',
        '--params',
        JSON.stringify(params),
        '--noop',
        ...nodes,
      );
      expect(site.exitCode).toBe(0);
      expect(printed).toContain('2/2 nodes succeeded');
      const input = { ...params, _noop: true, _task: 'demo::show' };
      for (const { begun } of [exporter, collector]) expect(begun.at(-1)).toMatchObject({ what: 'task run' });
      const token = await site.createToken('admin');
      const [, job = ''] = /New job ID: (\d+)/.exec(printed) ?? [];
      // The task itself prints what it gets; the server shows it nowhere else.
      const ended = await site.waitForJob(job);
      for (const name of [EXPORTER, COLLECTOR]) expect(ended[name]?.result).toMatchObject(input);
      const { body } = await site.ask('GET', `/jobs/${job}`, token);
      expect(JSON.stringify(body)).not.toContain(SECRET);
      await expect(site.run('task', 'run', 'demo::show', 'count=9', 'password=x', ...nodes)).rejects.toThrow(/count/);
    });

    it('keep sensitive parameters out of the data directory', async () => {
      const quiet = `${SECRET} of a quiet task`;
      site.controlRepo.write('site/demo/tasks/quiet.sh', '#!/bin/sh\ncat >"$(dirname "$0")/../../quiet"\necho done\n');
      site.controlRepo.write('site/demo/tasks/quiet.json', FILES['site/demo/tasks/show.json']);
      const tasks = () => site.run('task', 'show', '--all');
      while (!(await tasks()).includes('demo::quiet')) await new Promise((resolve) => setTimeout(resolve, 50));
      const params = JSON.stringify({ count: 1, password: quiet });
      await site.run('task', 'run', 'demo::quiet', '--params', params, '--nodes', EXPORTER);
      const got = readFileSync(join(exporter.folder, 'quiet'), 'utf8');
      expect(JSON.parse(got)).toMatchObject({ password: quiet });
      expect(site.hasStored('demo::quiet')).toBe(true);
      expect(site.hasStored(quiet)).toBe(false);
    });

    it('run an exporter before its collector, as the plan shows', async () => {
      const nodes = ['--nodes', `${COLLECTOR},${EXPORTER}`];
      const plan = await site.run('job', 'plan', ...nodes);
      expect(plan.indexOf(EXPORTER)).toBeGreaterThan(0);
      expect(plan.indexOf(EXPORTER)).toBeLessThan(plan.indexOf(COLLECTOR));
      const [before, late] = [exporter.begun.length, collector.begun.length];
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      exporter.gate = gate;
      const ran = site.run('job', 'run', ...nodes);
      await waitUntil(() => exporter.begun.length > before);
      expect(collector.begun.length).toBe(late);
      open();
      expect(await ran).toContain('2/2 nodes succeeded');
      expect(collector.begun.length).toBe(late + 1);
    });

    it('stop in the middle: what runs finishes, and nothing else starts', async () => {
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      exporter.gate = gate;
      const [before, late] = [exporter.begun.length, collector.begun.length];
      const ran = site.run('job', 'run', '--nodes', `${EXPORTER},${COLLECTOR}`);
      await waitUntil(() => exporter.begun.length > before);
      const [, job = ''] = /^(\d+) +running/m.exec(await site.run('job', 'list')) ?? [];
      await site.run('job', 'stop', job);
      open();
      await ran;
      expect(await site.waitForJob(job)).toMatchObject({
        [EXPORTER]: { state: 'finished' },
        [COLLECTOR]: { state: 'skipped' },
      });
      expect(collector.begun.length).toBe(late);
    });

    it('go on with a job after server and agents were killed in its middle; no node runs twice', async () => {
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      exporter.gate = gate;
      const [before, late] = [exporter.begun.length, collector.begun.length];
      const token = await site.createToken('admin');
      const scope = { nodes: [EXPORTER, COLLECTOR] };
      const { body } = await site.ask('POST', '/command/deploy', token, { environment: 'production', scope });
      await waitUntil(() => exporter.begun.length > before);
      await site.kill();
      for (const agent of [exporter, collector]) agent.kill();
      await site.start();
      // The run ends without its agent, which has the outcome later.
      open();
      await waitUntil(() => !exporter.isRunning);
      for (const agent of [exporter, collector]) agent.start();
      const nodes = await site.waitForJob((body.job as { readonly name: string }).name);
      expect(nodes).toMatchObject({ [EXPORTER]: { state: 'finished' }, [COLLECTOR]: { state: 'finished' } });
      expect([exporter.begun.length, collector.begun.length]).toEqual([before + 1, late + 1]);
    });

    it('refuse tokens that expired, were revoked, or permit something else', async () => {
      const [expired, revoked] = [await site.createToken('admin', 1), await site.createToken('admin')];
      const found = await site.access.tokens.find(revoked);
      if (found !== null) await site.access.tokens.revoke(found);
      const names = { login: 'reader', email: '', displayName: 'Reader', isGroup: false };
      await site.access.accounts.create({ ...names, roleIds: [3], password: await site.access.hash('Welc0me!') });
      const reader = await site.createToken('reader');
      const deploy = (token: string) => {
        return site.ask('POST', '/command/deploy', token, { environment: 'production', scope: { nodes: [EXPORTER] } });
      };
      const [late, gone, unknown, denied] = await Promise.all([expired, revoked, 'x', reader].map(deploy));
      const refusal = (reason: string) => ({ code: 401, body: { details: { reason } } });
      expect([late, gone, unknown]).toMatchObject(['token-expired', 'token-revoked', 'invalid-token'].map(refusal));
      expect(denied).toMatchObject({ code: 403, body: { kind: 'puppetlabs.rbac/permission-denied' } });
      expect((await site.ask('GET', '/jobs', reader)).code).toBe(200);
    });

    it('close the connection of a certificate that is revoked, and run nothing there', async () => {
      const ends = broken.ends.length;
      await site.authority.revoke(BROKEN);
      await waitUntil(() => broken.ends.length > ends + 2);
      expect(broken.ends[ends]).toBe('1012 CRL reloaded');
      expect(broken.ends[ends + 2]).toBe('1006');
      const begun = broken.begun.length;
      await site.run('job', 'run', '--nodes', BROKEN);
      expect([site.exitCode, broken.begun.length]).toEqual([1, begun]);
      // All others came back.
      await waitUntil(() => exporter.isConnected && collector.isConnected);
    });
  });
}
