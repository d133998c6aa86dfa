import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listReports } from '../../shared/fleet/reports/node-reports.ts';
import type { EmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { hasPuppet } from '../helpers/puppet.ts';
import { EditableControlRepo, exporterManifest } from './control-repo.ts';
import { LocalProcess } from './local-process.ts';
import { PuppetAgent } from './puppet-agent.ts';
import { openWithSmallAuthority } from './small-authority.ts';

const CODE = '/etc/puppetlabs/code/environments/production';
const folder = mkdtempSync(join(tmpdir(), 'understudy-e2e-'));
const data = join(folder, 'data');
const controlRepo = new EditableControlRepo(join(folder, 'control-repo'));
const a = new PuppetAgent('a.example.com');
const b = new PuppetAgent('b.example.com');
const c = new PuppetAgent('c.example.com');
const slow = new PuppetAgent('slow.example.com');
const FACTS = { tier: 'silver', web_port: '8080' };
let stores: EmbeddedStores;
let local: LocalProcess;

/** Ruby in a process really waits: a compile that takes long takes nothing from the others. */
async function start(): Promise<LocalProcess> {
  const flags = ['--ruby', 'process', '--export-delay', '0', '--export-interval', '0'];
  return LocalProcess.start({ data, controlRepo: controlRepo.directory, flags });
}

/** How often each node was compiled so far, and what is wanted of it. */
async function counts(...agents: readonly PuppetAgent[]) {
  const records = await Promise.all(agents.map((agent) => stores.nodes.get(agent.certname)));
  return records.map((record) => ({ compiles: record?.compiles ?? 0, wanted: record?.wanted ?? 0 }));
}

/** Waits until nothing is queued or under way any more. */
async function settled(): Promise<void> {
  const isIdle = async () => {
    const { waiting, express, background } = await stores.queue.getDepth();
    return [waiting, express, background].every(({ visible, inFlight }) => visible + inFlight === 0);
  };
  await expect.poll(isIdle, { interval: 50 }).toBe(true);
}

/** Edits the control repo, and waits until that is deployed and the compiles it led to are done. */
async function edit(change: () => void): Promise<void> {
  const from = local.lines.length;
  change();
  await local.waitFor(/ deployed production/, from);
  await settled();
}

describe.skipIf(!hasPuppet())('an unmodified puppet agent', () => {
  beforeAll(async () => {
    stores = await openWithSmallAuthority(data);
    local = await start();
  });

  afterAll(async () => {
    await local?.end('SIGTERM');
    stores?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('gets a certificate, plugins, a catalog through the queue, applies it and reports', async () => {
    const { code, output } = await a.run(local.port, FACTS);
    expect(output).toContain('Downloaded certificate for a.example.com from https://localhost:');
    expect(output).toMatch(/facter\/e2e_flavour\.rb\]\/ensure: defined content as/);
    expect(output).toContain('Notice: flavour: vanilla');
    expect(output).toContain('Notice: motto: common motto');
    expect(output).not.toContain('Error: Could not');
    expect(code).toBe(2);
    expect(readFileSync(join(a.root, 'source'), 'utf8')).toBe('a file from a module\n');
    expect(readFileSync(join(a.root, 'greeting'), 'utf8')).toBe('Hello, silver.\n');
    expect(await counts(a)).toEqual([{ compiles: 1, wanted: 1 }]);
    expect(local.lines.filter((line) => line.includes(' compiled a.example.com'))).toHaveLength(1);
    const [report, ...more] = await listReports(stores, { certname: 'a.example.com', limit: 10 });
    expect(more).toEqual([]);
    expect(report).toMatchObject({ status: 'changed', environment: 'production' });
  });

  it('is served from the store the second time, whatever facts changed that its catalog did not use', async () => {
    const { code, output } = await a.run(local.port, { ...FACTS, unused: 'changed' });
    expect(output).toContain('Notice: flavour: vanilla');
    expect(code).toBe(2);
    await settled();
    expect(await counts(a)).toEqual([{ compiles: 1, wanted: 1 }]);
  });

  it('gets a new catalog in the same run when a fact changed that its catalog used', async () => {
    const { output } = await a.run(local.port, { ...FACTS, tier: 'gold' });
    expect(output).toContain('+Hello, gold.');
    expect(readFileSync(join(a.root, 'greeting'), 'utf8')).toBe('Hello, gold.\n');
    expect(await counts(a)).toEqual([{ compiles: 2, wanted: 2 }]);
    expect(local.lines.findLast((line) => line.includes('compiled a.example.com'))).toContain('(fact tier changed)');
  });

  it('collects what others export; a changed export compiles the collectors, and nobody else, without their asking', async () => {
    const [collected] = await Promise.all([b.run(local.port, FACTS), c.run(local.port, FACTS)]);
    expect(collected.output).toContain('Notice: endpoint a.example.com:8080');
    const before = await counts(a, b, c);
    await a.run(local.port, { ...FACTS, tier: 'gold', web_port: '9090' });
    await settled();
    const [ofA, ofB, ofC] = await counts(a, b, c);
    expect(ofA?.compiles).toBe((before[0]?.compiles ?? 0) + 1);
    expect(ofB?.compiles).toBe((before[1]?.compiles ?? 0) + 1);
    expect(ofC).toEqual(before[2]);
    const { output } = await b.run(local.port, FACTS);
    expect(output).toContain('Notice: endpoint a.example.com:9090');
    expect(await counts(b)).toEqual([ofB]);
  });

  it('is compiled again when a file changes that only it used, and when a file appears that it looked for', async () => {
    const before = await counts(a, b, c);
    await edit(() =>
      controlRepo.write('site/profile/templates/greeting.epp', '<%- | String $who | -%>\nHi, <%= $who %>.\n'),
    );
    const changed = await counts(a, b, c);
    expect(changed.map(({ compiles }, index) => compiles - (before[index]?.compiles ?? 0))).toEqual([1, 0, 0]);
    await edit(() => controlRepo.write('data/tiers/silver.yaml', '---\nprofile::base::motto: silver motto\n'));
    const appeared = await counts(a, b, c);
    expect(appeared.map(({ compiles }, index) => compiles - (changed[index]?.compiles ?? 0))).toEqual([0, 0, 1]);
    const { output } = await c.run(local.port, FACTS);
    expect(output).toContain('Notice: motto: silver motto');
    expect(await counts(c)).toEqual(appeared.slice(2));
  });

  it('shows a manifest error with its place; mending the file heals it, and nothing loops', async () => {
    const goldFacts = { ...FACTS, tier: 'gold', web_port: '9090' };
    await edit(() => controlRepo.write('site/role/manifests/exporter.pp', exporterManifest("fail('deliberate')")));
    const broken = await counts(a);
    const failed = await a.run(local.port, goldFacts);
    expect(failed.output).toContain(
      'Error: Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Evaluation Error: ' +
        'Error while evaluating a Function Call, deliberate ' +
        `(file: ${CODE}/site/role/manifests/exporter.pp, line: 3, column: 3) on node a.example.com`,
    );
    expect(failed.code).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await settled();
    expect(await counts(a)).toEqual(broken);
    await edit(() => controlRepo.write('site/role/manifests/exporter.pp', exporterManifest("notice('mended')")));
    expect(await counts(a)).toEqual([
      { compiles: (broken[0]?.compiles ?? 0) + 1, wanted: (broken[0]?.wanted ?? 0) + 1 },
    ]);
    const healed = await a.run(local.port, goldFacts);
    expect(healed.output).toContain('Notice: motto: common motto');
    expect(healed.output).not.toContain('Server Error');
  });

  it('waits for a compile of 15 s, while another agent is served', async () => {
    const started = Date.now();
    const waiting = slow.run(local.port, { ...FACTS, seconds: '15' });
    await expect.poll(async () => (await stores.queue.getDepth()).waiting.inFlight).toBe(1);
    const other = await a.run(local.port, { ...FACTS, tier: 'gold', web_port: '9090' });
    expect(other.output).toContain('Notice: flavour: vanilla');
    expect((await stores.queue.getDepth()).waiting.inFlight).toBe(1);
    const { output } = await waiting;
    expect(Date.now() - started).toBeGreaterThan(15_000);
    expect(output).toContain('Notice: waited for 15 seconds');
    expect((await stores.nodes.get(slow.certname))?.catalog?.durationMs).toBeGreaterThan(15_000);
  });

  it('is served after kill -9 in mid-compile and a restart: the job is done once more, nothing is lost', async () => {
    const facts = { ...FACTS, seconds: '4' };
    const before = await counts(a, b, c, slow);
    const cut = slow.run(local.port, facts);
    await expect.poll(async () => (await stores.queue.getDepth()).waiting.inFlight).toBe(1);
    await local.end('SIGKILL');
    const { output } = await cut;
    expect(output).toContain('Error: Could not retrieve catalog from remote server');
    local = await start();
    const again = await slow.run(local.port, facts);
    expect(again.output).toContain('Notice: waited for 4 seconds');
    await settled();
    const after = await counts(a, b, c, slow);
    expect(after.slice(0, 3)).toEqual(before.slice(0, 3));
    const [, , , ofSlow] = before;
    expect(after[3]).toEqual({ compiles: (ofSlow?.compiles ?? 0) + 1, wanted: (ofSlow?.wanted ?? 0) + 1 });
    const unharmed = await a.run(local.port, { ...FACTS, tier: 'gold', web_port: '9090' });
    expect(unharmed.output).toContain('Notice: flavour: vanilla');
    expect(await counts(a)).toEqual(after.slice(0, 1));
  });

  it('ends in order on SIGTERM', async () => {
    expect(await local.end('SIGTERM')).toBe(0);
  });
});
