import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ChaosLog } from '../chaos/chaos-log.ts';
import { deployFolder } from '../helpers/deploy-folder.ts';
import { hasPuppet } from '../helpers/puppet.ts';
import { hasPostgres } from '../helpers/real-postgres.ts';
import { Balancer, hasBalancer } from './balancer.ts';
import { PostgresPair } from './postgres-pair.ts';
import { Operator, REAL_MANIFEST, RealAgent, readCertificates } from './real-agents.ts';
import { openDatabase } from './run-servers.ts';
import { findServerPorts, ServerFleet } from './server-fleet.ts';

const NODE = 'real1.example.com';
const GOOD = [0, 2];

it.skipIf(!hasPostgres() || !hasBalancer() || !hasPuppet())(
  'a real agent and its PXP agent go on through a balancer when a server, and then the primary, is killed',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-failover-'));
    // PostgreSQL runs as a user of its own.
    chmodSync(folder, 0o755);
    const pair = await PostgresPair.start(join(folder, 'postgres'));
    const closers: (() => void | Promise<void>)[] = [
      () => rmSync(folder, { recursive: true, force: true }),
      () => pair.stop(),
    ];
    try {
      const stores = await openDatabase(pair.url, folder);
      closers.push(() => stores.close());
      const deploy = async (release: string) => {
        const files = {
          'hiera.yaml':
            '{ version: 5, defaults: { datadir: data, data_hash: yaml_data }, hierarchy: [{ name: a, path: common.yaml }] }',
          'data/common.yaml': `release: ${release}`,
          'manifests/site.pp': REAL_MANIFEST,
        };
        for (const [path, content] of Object.entries(files)) {
          const file = join(folder, 'control-repo/environments/production', path);
          mkdirSync(join(file, '..'), { recursive: true });
          writeFileSync(file, content);
        }
        await deployFolder(stores, join(folder, 'control-repo'), 'production', 'test');
      };
      await deploy('one');
      const complaints: string[] = [];
      const report = { log: new ChaosLog(), report: (what: string) => void complaints.push(what) };
      const fleet = await ServerFleet.prepare(folder, pair.url, 2, report);
      closers.push(() => fleet.stop());
      await Promise.all(fleet.backends.map((backend) => fleet.start(backend)));
      const ports = await findServerPorts();
      const balancer = Balancer.start(folder, ports, fleet.backends);
      closers.push(() => balancer.stop());

      const agent = await RealAgent.join(NODE, ports);
      closers.push(() => agent.pxp.kill());
      const readRelease = () => readFileSync(join(agent.puppet.root, 'release'), 'utf8');
      expect(readRelease()).toBe('one');
      const operator = await Operator.open(stores, ports, await readCertificates(stores));
      expect(await operator.runCommand('echo before', [NODE])).toEqual({ [NODE]: 'before\n' });

      // The PXP agent is connected to one of the two, which are both killed in the end.
      const [first, second] = fleet.backends;
      if (first === undefined || second === undefined) throw new Error('invariant: there are two servers');
      await fleet.end(first, 'SIGKILL');
      expect(GOOD).toContain((await agent.run()).code);
      expect(await operator.runCommand('echo without first', [NODE])).toEqual({ [NODE]: 'without first\n' });
      await fleet.start(first);

      await deploy('two');
      const [running] = await Promise.all([agent.run(), pair.failOver(1000)]);
      expect(GOOD, running.output).toContain(running.code);

      await deploy('three');
      await fleet.end(second, 'SIGKILL');
      expect((await agent.run()).code).toBe(2);
      expect(readRelease()).toBe('three');
      expect(await operator.runCommand('echo after', [NODE])).toEqual({ [NODE]: 'after\n' });
      expect(complaints).toEqual([]);
    } finally {
      for (const close of closers.toReversed()) await close();
    }
  },
);
