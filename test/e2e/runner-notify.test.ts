/**
 * A fleet whose nodes get the runner by Puppet: a deploy changes the file of a module, and those
 * that have it run Puppet, canaries first. The agents have their files where Debian's and OpenVox's
 * packages have them, below a folder of each node.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FreshnessPolicies } from '../../shared/fleet/policies/freshness-policies.ts';
import { readPolicyEntry } from '../../shared/fleet/policies/policy-fields.ts';
import { listReports } from '../../shared/fleet/reports/node-reports.ts';
import { type LocalServer, startLocalServer } from '../../shared/local/local-server.ts';
import { readLocalOptions } from '../../shared/local/options.ts';
import { listNodeRuns } from '../../shared/orchestrator/jobs/load-job.ts';
import { readRunnerProgram } from '../../shared/orchestrator/runner/runner-program.ts';
import type { EmbeddedStores } from '../../shared/store/embedded/stores.ts';
import type { NodeRun } from '../../shared/store/ports/job-records.ts';
import { hasPuppet } from '../helpers/puppet.ts';
import { LaidOutNode, type Layout } from './laid-out-node.ts';
import { waitUntil } from './orchestrated-site.ts';
import { openWithSmallAuthority } from './small-authority.ts';

const EXAMPLE = join(
  import.meta.dirname,
  '../../examples/control-repo/environments/production/modules/understudy_runner',
);
const NODES: Readonly<Record<string, Layout>> = {
  'web01.example.com': 'Debian',
  'web02.example.com': 'OpenVox',
  'db01.example.com': 'OpenVox',
};
const WEBS = ['web01.example.com', 'web02.example.com'];
const NO_PORTS = ['access', 'console'].flatMap((name) => [`--${name}-port`, 'off']);
const ANY_PORTS = ['--port', '0', '--pcp-port', '0', '--orchestrator-port', '0'];

describe.skipIf(!hasPuppet())('a fleet with runners', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-runners-'));
  const environment = join(folder, 'control-repo/environments/production');
  const data = join(folder, 'data');
  const nodes = new Map<string, LaidOutNode>();
  let stores: EmbeddedStores;
  let server: LocalServer;

  function write(path: string, text: string): void {
    const file = join(environment, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }

  /** The nodes of all jobs, by name. */
  async function listRuns(): Promise<ReadonlyMap<string, NodeRun>> {
    const found = new Map<string, NodeRun>();
    for (const { number } of await stores.jobs.list('job', 0, 100)) {
      for await (const run of listNodeRuns(stores.jobs, number)) found.set(run.name, run);
    }
    return found;
  }

  beforeAll(async () => {
    cpSync(EXAMPLE, join(environment, 'modules/understudy_runner'), { recursive: true });
    write('environment.conf', 'modulepath = modules\n');
    for (const name of ['page.html', 'schema.sql']) write(`modules/web/files/${name}`, 'first\n');
    stores = await openWithSmallAuthority(data);
    write('manifests/site.pp', 'notice("empty")\n');
    server = await startLocalServer(
      readLocalOptions(
        ['--control-repo', join(folder, 'control-repo'), '--data', data, '--autosign', ...ANY_PORTS, ...NO_PORTS],
        { workers: 1 },
      ),
      {
        hostname: 'localhost',
        uid: process.getuid?.() ?? 0,
        workerModule: new URL('../../functions/local-worker.ts', import.meta.url),
        print: () => {},
        onFailure: (error) => {
          throw error;
        },
        readLoad: () => 0,
      },
    );
    const text = `class { 'understudy_runner':
  server          => 'localhost',
  port            => ${server.port},
  broker_port     => ${server.pcpPort ?? 0},
  manage_service  => false,
  puppet          => $facts['e2e_puppet'],
  folder          => "\${facts['e2e_root']}/opt/understudy-runner",
  settings_folder => $facts['e2e_settings'],
  units_folder    => $facts['e2e_root'],
  settings        => {
    'logfile'        => "\${facts['e2e_root']}/runner.log",
    'spool-dir'      => "\${facts['e2e_root']}/spool",
    'task-cache-dir' => "\${facts['e2e_root']}/cache",
  },
}
if $trusted['certname'] =~ /^web/ {
  file { "\${facts['e2e_root']}/page.html": source => 'puppet:///modules/web/page.html' }
} else {
  file { "\${facts['e2e_root']}/schema.sql": source => 'puppet:///modules/web/schema.sql' }
}
`;
    write('manifests/site.pp', text);
    await Promise.all(
      Object.entries(NODES).map(async ([certname, layout]) => {
        const node = new LaidOutNode(certname, layout, server.port);
        nodes.set(certname, node);
        // The code with the runner may come while the first node asks already.
        while (!(await node.run()).hasRunner) await setTimeout(100);
        node.startRunner();
      }),
    );
    await waitUntil(() => [...nodes.values()].every((node) => node.isConnected));
    const policy = readPolicyEntry({ notify: 'paced', notify_rate: '60/min', canary: 1 });
    await new FreshnessPolicies(stores.documents).put('environments/production', policy);
  });

  afterAll(async () => {
    await Promise.all([...nodes.values()].map((node) => node.close()));
    await server?.stop();
    stores?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has the program of the server, a configuration and a unit from Puppet', async () => {
    for (const node of nodes.values()) {
      const program = readFileSync(join(node.root, 'opt/understudy-runner/understudy-runner.rb'));
      expect(program).toEqual(Buffer.from(readRunnerProgram().bytes));
      expect(readFileSync(join(node.root, 'understudy-runner.service'), 'utf8')).toContain('KillMode=process');
    }
  });

  it('runs Puppet where the file of a module changed, the canary first, and nowhere else', async () => {
    const before = (await listReports(stores, { certname: 'db01.example.com', limit: 10 })).length;
    write('modules/web/files/page.html', 'second\n');
    await expect
      .poll(async () => [...(await listRuns()).values()].map(({ state }) => state))
      .toEqual(['finished', 'finished']);
    const runs = await listRuns();
    expect([...runs.keys()].sort()).toEqual(WEBS);
    for (const name of WEBS) {
      expect(readFileSync(join(nodes.get(name)?.root ?? '', 'page.html'), 'utf8')).toBe('second\n');
      const [report] = await listReports(stores, { certname: name, limit: 1 });
      expect(report).toMatchObject({ status: 'changed' });
    }
    const [canary, other] = [...runs.values()].sort((a, b) => Number(a.startedAt) - Number(b.startedAt));
    expect(Number(other?.startedAt)).toBeGreaterThanOrEqual(Number(canary?.finishedAt));
    expect(await listReports(stores, { certname: 'db01.example.com', limit: 10 })).toHaveLength(before);
  });

  it('runs Puppet on a node that was away, once its runner is back', async () => {
    const node = nodes.get('db01.example.com');
    await node?.close();
    write('modules/web/files/schema.sql', 'second\n');
    await expect.poll(async () => (await stores.nodes.get('db01.example.com'))?.compiles).toBe(2);
    node?.startRunner();
    await expect.poll(async () => (await listRuns()).get('db01.example.com')?.state).toBe('finished');
    expect(readFileSync(join(node?.root ?? '', 'schema.sql'), 'utf8')).toBe('second\n');
  });
});
