import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BrokerServer } from '../../../../shared/orchestrator/broker/broker-server.ts';
import { hasRuby, type RunnerProcess } from './runner-process.ts';
import { RunnerWorld, type Values } from './runner-world.ts';
import { SilentProxy } from './silent-proxy.ts';

const NODE = 'web01.example.com';
const SILENCED = 'silenced.example.com';

describe.skipIf(!hasRuby())('the runner', () => {
  let world: RunnerWorld;
  let broker: BrokerServer;
  let runner: RunnerProcess;
  /** Its connection goes through a proxy that passes nothing on any more, and says nothing. */
  let silenced: RunnerProcess;
  let proxy: SilentProxy;
  let count = 0;

  beforeAll(async () => {
    world = await RunnerWorld.create();
    broker = await world.startBroker();
    runner = (await world.addRunner(NODE, [broker])).start();
    await world.waitFor(NODE);
    const other = await world.startBroker();
    proxy = await SilentProxy.open(other.port);
    const pings = { 'ping-interval': 6, 'allowed-keepalive-timeouts': 1 };
    const uris = { 'broker-ws-uris': [`wss://localhost:${proxy.port}/pcp2/`] };
    silenced = (await world.addRunner(SILENCED, [other], { ...uris, ...pings })).start();
    // The broker may know a connection that the runner has given up: its log says which it has.
    await vi.waitUntil(() => silenced.log.includes('connected to'), { timeout: 120_000 });
    await world.waitFor(SILENCED);
    proxy.silence();
  });
  afterAll(async () => {
    proxy?.close();
    await world.close();
  });

  /** Begins a command that notes each of its starts and waits for `open`. */
  async function beginGated(certname = NODE) {
    count += 1;
    const [gate, starts] = [`gate-${count}`, `starts-${count}`].map((name) => join(world.folder, name));
    const command = `echo started >> ${starts}; until [ -e ${gate} ]; do sleep 0.05; done; echo done`;
    const transaction = await world.begin(certname, 'command run', { command });
    await expect.poll(() => existsSync(String(starts))).toBe(true);
    return {
      transaction,
      open: () => writeFileSync(String(gate), ''),
      starts: () => readFileSync(String(starts), 'utf8'),
    };
  }

  const hasEnded = (transaction: string) => expect.poll(() => existsSync(join(runner.spool, transaction, 'exitcode')));

  describe('sends the result of what ran', () => {
    it('while the broker was away, once it is back', async () => {
      const gated = await beginGated();
      const { port } = broker;
      world.brokers.splice(world.brokers.indexOf(broker), 1);
      await broker.stop(0);
      gated.open();
      await hasEnded(gated.transaction).toBe(true);
      broker = await world.startBroker(port);
      const { data } = await world.answerOf(gated.transaction);
      expect([data.results, gated.starts()]).toEqual([{ exitcode: 0, stdout: 'done\n' }, 'started\n']);
    });

    it.each<NodeJS.Signals>(['SIGTERM', 'SIGKILL'])('while the runner was away after %s', async (signal) => {
      const [ended, goesOn] = [await beginGated(), await beginGated()];
      await runner.end(signal);
      ended.open();
      await hasEnded(ended.transaction).toBe(true);
      runner.start();
      const { data } = await world.answerOf(ended.transaction);
      expect([data.results, ended.starts()]).toEqual([{ exitcode: 0, stdout: 'done\n' }, 'started\n']);
      await world.waitFor(NODE);
      expect(await world.status(NODE, goesOn.transaction)).toMatchObject({ status: 'running' });
      await world.begin(NODE, 'command run', { command: 'exit 9' }, goesOn.transaction);
      goesOn.open();
      const late = await world.answerOf(goesOn.transaction);
      expect([late.data.results, goesOn.starts()]).toEqual([{ exitcode: 0, stdout: 'done\n' }, 'started\n']);
    });

    it('no second time, once the broker has it', async () => {
      const { data } = await world.run(NODE, 'command run', { command: 'echo once' });
      const transaction = String(data.transaction_id);
      await expect.poll(() => existsSync(join(runner.spool, transaction, 'sent'))).toBe(true);
      await runner.end();
      runner.start();
      await world.waitFor(NODE);
      await world.ask(NODE, 'ping ping');
      expect(world.countAnswers(transaction, 'rpc_non_blocking_response')).toBe(1);
    });
  });

  it('takes no more memory than 25 MB when it is idle', () => {
    const status = readFileSync(`/proc/${runner.pid}/status`, 'utf8');
    expect(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])).toBeLessThan(25 * 1024);
  });

  it('knows when an action was killed', async () => {
    const gated = await beginGated();
    const pid = Number(runner.readSpool(gated.transaction, 'pid'));
    process.kill(pid, 'SIGKILL');
    const status = {
      status: 'unknown',
      stdout: expect.stringContaining('task process is not running, but no output is available'),
    };
    await expect.poll(() => world.status(NODE, gated.transaction)).toMatchObject(status);
    gated.open();
  });

  it('forgets what never began, and runs it when it is asked again', async () => {
    await runner.end();
    const transaction = 'b5a5a9a0-0000-4000-8000-000000000000';
    mkdirSync(join(runner.spool, transaction), { mode: 0o700 });
    runner.start();
    await world.waitFor(NODE);
    expect(await world.status(NODE, transaction)).toMatchObject({ status: 'unknown' });
    await world.begin(NODE, 'command run', { command: 'echo now' }, transaction);
    expect((await world.answerOf(transaction)).data.results).toEqual({ exitcode: 0, stdout: 'now\n' });
  });

  it('writes its log again by its name after SIGHUP and SIGUSR2', async () => {
    for (const [index, signal] of (['SIGHUP', 'SIGUSR2'] as const).entries()) {
      renameSync(join(runner.folder, 'runner.log'), join(runner.folder, `runner.log.${index}`));
      runner.signal(signal);
      await expect.poll(() => existsSync(join(runner.folder, 'runner.log'))).toBe(true);
      await world.ask(NODE, 'ping ping');
      expect(runner.log).toContain("blocking 'ping ping' request");
    }
  });

  it('does only so much at a time', async () => {
    const name = 'bounded.example.com';
    const bounded = await world.addRunner(name, [broker], { 'max-actions': 1, 'max-waiting-actions': 1 });
    bounded.start();
    await world.waitFor(name);
    const first = await beginGated(name);
    const second = await world.begin(name, 'command run', { command: 'echo second' });
    const third = await world.run(name, 'command run', { command: 'echo third' });
    expect(third.data.description).toBe('failed to start action task: 2 actions wait already');
    expect(await world.status(name, second)).toMatchObject({ status: 'running' });
    first.open();
    expect((await world.answerOf(second)).data.results).toEqual({ exitcode: 0, stdout: 'second\n' });
    // What was refused did not begin, and may be asked again.
    await world.begin(name, 'command run', { command: 'echo third' }, String(third.data.transaction_id));
    const isResult = (type: string) => type === 'rpc_non_blocking_response';
    const { data } = await world.answerOf(String(third.data.transaction_id), isResult);
    expect(data.results).toEqual({ exitcode: 0, stdout: 'third\n' });
    await bounded.end();
  });

  it('stops what takes too long, with all that it started', async () => {
    const name = 'slow.example.com';
    const slow = (await world.addRunner(name, [broker], { 'action-timeout': '1s' })).start();
    await world.waitFor(name);
    const stubborn = join(world.folder, 'stubborn.pid');
    const command = `sh -c 'trap "" TERM; echo $$ > ${stubborn}; while :; do sleep 0.1; done' & sleep 600`;
    const { data } = await world.run(name, 'command run', { command });
    expect(data.results).toEqual({ exitcode: 15, stderr: 'The action did not end within 1 seconds.\n' });
    const process = `/proc/${readFileSync(stubborn, 'utf8').trim()}/stat`;
    // Whoever adopted it may not have asked for its end yet.
    await expect.poll(() => !existsSync(process) || / Z /.test(readFileSync(process, 'utf8'))).toBe(true);
    await slow.end();
  });

  it('removes what is old, and the oldest files when there are too many', async () => {
    const name = 'full.example.com';
    const settings = { 'spool-dir-purge-ttl': '1h', 'task-cache-dir-purge-ttl': '2d', 'task-cache-size': 1000 };
    const full = (await world.addRunner(name, [broker], settings)).start();
    await world.waitFor(name);
    const { data } = await world.run(name, 'command run', { command: 'true' });
    const old = join(full.spool, String(data.transaction_id), 'metadata');
    await expect.poll(() => existsSync(join(full.spool, String(data.transaction_id), 'sent'))).toBe(true);
    await full.end();
    const metadata = JSON.parse(readFileSync(old, 'utf8'));
    writeFileSync(old, JSON.stringify({ ...metadata, start: '2020-01-01T00:00:00.000000Z' }));
    for (const [index, hours] of [1, 2, 3, 72].entries()) {
      const folder = join(full.folder, 'cache', String(index).repeat(64));
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, 'file'), 'x'.repeat(400));
      const then = Date.now() / 1000 - hours * 3600;
      utimesSync(folder, then, then);
    }
    full.start();
    await expect.poll(() => readdirSync(join(full.folder, 'cache')).map((folder) => folder[0])).toEqual(['0', '1']);
    expect(existsSync(old)).toBe(false);
    await full.end();
  });

  it('goes to the next broker, and back when that one ends', async () => {
    const name = 'two.example.com';
    const other = await world.startBroker();
    const down = { port: other.port } as BrokerServer;
    world.brokers.splice(world.brokers.indexOf(other), 1);
    await other.stop(0);
    const two = (await world.addRunner(name, [down, broker])).start();
    await world.waitFor(name, [broker]);
    const again = await world.startBroker(down.port);
    const { port } = broker;
    world.brokers.splice(world.brokers.indexOf(broker), 1);
    await broker.stop(0);
    await world.waitFor(name, [again]);
    expect((await world.ask(name, 'ping ping')).type).toBe('rpc_blocking_response');
    broker = await world.startBroker(port);
    await two.end();
  });

  describe('connects to no broker', () => {
    it.each<[string, () => Promise<BrokerServer>, RegExp]>([
      ['of another authority', () => world.startBroker(undefined, world.stranger), /certificate verify failed/],
      [
        'of another name',
        () => world.startBroker(undefined, world.authority, 'elsewhere.example.com'),
        /does not match/,
      ],
    ])('%s', async (what, start, reason) => {
      const wrong = await start();
      const one = (await world.addRunner(`of-${wrong.port}.example.com`, [wrong])).start();
      await expect.poll(() => one.log, { message: what }).toMatch(reason);
      expect(one.log).not.toContain('connected to');
      await one.end();
    });

    it('whose certificate is revoked, with its own list of revocations', async () => {
      const name = 'careful.example.com';
      const revoked = await world.startBroker(undefined, world.authority, 'revoked', 'localhost');
      const careless = { ...(await world.credentials(name)), revocations: null };
      expect(await world.authority.revokeServer('revoked')).toBe(true);
      const careful = await world.addRunner(
        name,
        [revoked],
        { 'ssl-crl': join(world.folder, name, 'crl.pem') },
        careless,
      );
      careful.write({ ...careless, revocations: await world.revocations() });
      careful.start();
      await expect.poll(() => careful.log).toMatch(/certificate revoked/);
      await careful.end();
    });

    it('whose revocations it does not have', async () => {
      const name = 'blind.example.com';
      const blind = await world.addRunner(name, [broker], { 'ssl-crl': join(world.folder, 'missing.pem') });
      blind.start();
      await expect.poll(() => blind.log).toMatch(/No such file or directory.*missing\.pem/);
      await blind.end();
    });
  });

  describe('does not start', () => {
    it.each<[string, Values, string]>([
      ['with version 1 of PCP', { 'pcp-version': '1' }, 'pcp-version 1 is not supported: only 2 is'],
      ['without TLS', { 'broker-ws-uris': ['ws://localhost/pcp2/'] }, 'invalid broker-ws-uri: ws://localhost/pcp2/'],
      ['with a relative path', { 'spool-dir': 'spool' }, 'spool-dir must be an absolute path'],
      ['with texts for numbers', { 'ping-interval': '120' }, "field 'ping-interval' must be of type integer"],
      ['with pings that hardly pause', { 'ping-interval': 5 }, 'ping-interval must be greater than 5'],
      ['with a time of no unit', { 'action-timeout': '5' }, 'invalid duration string: 5'],
      ['with an unknown level', { loglevel: 'loud' }, "invalid log level: 'loud'"],
    ])('%s', async (what, settings, message) => {
      const one = (await world.addRunner(`start-${what.replaceAll(' ', '-')}.example.com`, [broker], settings)).start();
      expect([await one.ended(), one.errors]).toEqual([2, `understudy-runner: ${message}\n`]);
    });

    it('beside another one, or with a spool of others', async () => {
      const second = await world.addRunner('second.example.com', [broker], { 'spool-dir': runner.spool });
      second.start();
      expect([await second.ended(), second.errors]).toEqual([
        2,
        `understudy-runner: another runner uses ${runner.spool}\n`,
      ]);
      const open = join(world.folder, 'open');
      mkdirSync(open);
      chmodSync(open, 0o777);
      const link = join(world.folder, 'link');
      symlinkSync(runner.spool, link);
      for (const [folder, reason] of [
        [open, 'must belong to the user of the runner, and be writable to no other'],
        [link, 'is not a directory'],
      ] as const) {
        const one = (
          await world.addRunner(`with-${basename(folder)}.example.com`, [broker], { 'spool-dir': folder })
        ).start();
        expect([await one.ended(), one.errors]).toEqual([2, `understudy-runner: ${folder} ${reason}\n`]);
      }
    });
  });

  it('finds certificates, servers and brokers in the settings of Puppet', async () => {
    const name = 'plain.example.com';
    const credentials = await world.credentials(name);
    const ssl = join(world.folder, 'ssl');
    mkdirSync(ssl);
    const files = {
      hostprivkey: credentials.key,
      hostcert: credentials.certificate,
      localcacert: credentials.trusted,
      hostcrl: await world.revocations(),
    };
    for (const [setting, pem] of Object.entries(files)) writeFileSync(join(ssl, setting), pem);
    const lines = [
      ...Object.keys(files).map((key) => `${key} = ${ssl}/${key}`),
      'server = localhost',
      'serverport = 8140',
      'server_list = ',
      'certificate_revocation = chain',
    ];
    const puppet = world.program('settings.sh', `#!/bin/sh\ncat <<'END'\n${lines.join('\n')}\nEND\n`);
    const own = { 'ssl-key': null, 'ssl-cert': null, 'ssl-ca-cert': null, 'ssl-crl': null, 'puppet-bin': puppet };
    const plain = (await world.addRunner(name, [broker], own, credentials)).start();
    await world.waitFor(name);
    await plain.end();
  });

  it('ends a connection without pongs, and makes another one', async () => {
    await expect.poll(() => silenced.log).toMatch(/the broker answers no pings.* connected to /s);
  });

  it('wrote no warning of Ruby', () => {
    expect(runner.errors).toBe('');
  });
});
