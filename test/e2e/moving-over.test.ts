/**
 * A fleet of a real Puppet Server with a real PuppetDB: the nodes of the control repo beside this
 * project, compared with what is compiled here. Both take minutes to start, so they run only with
 * `TEST_LIVE=puppetserver`.
 */
import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { x509 } from '../../shared/access/ca/x509.ts';
import type { FleetComparison } from '../../shared/fleet/comparisons/fleet-comparison.ts';
import { makeRequest } from '../helpers/certificate-request.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { BESIDE, isBeside } from '../helpers/material-beside.ts';
import { hasPuppetdb, type RealPuppetdb, startPuppetdb } from '../helpers/real-puppetdb.ts';
import { makeFolderOnDisk } from '../helpers/temporary-folder.ts';
import { LocalProcess } from './local-process.ts';
import { Asking } from './replay/asking.ts';
import { hasPuppetServer, PuppetServer } from './replay/puppetserver.ts';

const LONG_MS = 2_000_000;
const execute = promisify(execFile);
const COMPARER = 'compare.example.com';
const isAsked =
  process.env.TEST_LIVE === 'puppetserver' && hasPuppetdb() && hasPuppetServer() && isBeside('controlRepo');
/** Modules of the control repo are links to Debian's. */
const PUPPET_7 = ['--strict', 'warning', '--strict-variables', 'false', '--follow-links'];
const RULE = `{ match-request: { path: "^/puppet/v4/catalog", type: regex, method: post }, allow: "${COMPARER}", sort-order: 300, name: "compare" },\n`;

describe.skipIf(!isAsked)('a fleet of a real Puppet Server', () => {
  // Puppet makes no folders below /dev, where tests have theirs; its server then does not start.
  const folder = makeFolderOnDisk('moving');
  const code = join(folder, 'code');
  const file = (name: string) => join(folder, name);
  let database: RealPuppetdb;
  let server: PuppetServer;
  let line: Server;
  let names: readonly string[];

  beforeAll(async () => {
    execFileSync('bash', [join(BESIDE.controlRepo, 'setup.sh'), code]);
    const port = await findFreePort();
    [database, server] = await Promise.all([
      startPuppetdb(console.error).then((started) => {
        database = started;
        return started;
      }),
      PuppetServer.start(file('server'), code, {
        believesProxies: true,
        autosign: '*\n',
        puppetdb: `https://localhost:${port}`,
        settings: 'strict = warning\nstrict_variables = false\n',
        rules: RULE,
      }),
    ]);
    const own = await certify(COMPARER);
    line = createServer({ cert: own.certificate, key: own.key, ca: own.ca }, (incoming, outgoing) => {
      const { method, headers, url = '/' } = incoming;
      const sent = httpRequest(new URL(url, database.url), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      sent.on('error', () => outgoing.destroy());
      incoming.pipe(sent);
    });
    await new Promise<void>((resolve) => line.listen(port, 'localhost', resolve));
    names = readdirSync(join(code, 'facts')).map((name) => name.replace(/\.json$/, ''));
    // The second time, each node collects what the others exported.
    for (let round = 1; round <= 2; round += 1) {
      const since = Date.now();
      for (const name of names) await checkIn(name);
      await waitForStored(since);
    }
  }, LONG_MS);

  afterAll(async () => {
    line?.closeAllConnections();
    line?.close();
    await server?.stop();
    await database?.stop();
  }, LONG_MS);

  /** A certificate of the server's CA, in files. */
  async function certify(certname: string) {
    const extensions = [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])];
    const { request, key } = await makeRequest(certname, { extensions });
    const ask = (method: string, path: string, body = '') => {
      const headers = { 'Content-Type': 'text/plain' };
      return server.asking.ask({ method, url: `/puppet-ca/v1/${path}`, who: null, headers, body });
    };
    await ask('PUT', `certificate_request/${certname}`, request);
    const certificate = (await ask('GET', `certificate/${certname}`)).body;
    const ca = (await ask('GET', 'certificate/ca')).body;
    for (const [name, text] of Object.entries({ certificate, key, ca })) writeFileSync(file(`${name}.pem`), text);
    return { certificate, key, ca };
  }

  async function checkIn(certname: string, asking = server.asking) {
    const values: unknown = JSON.parse(readFileSync(join(code, 'facts', `${certname}.json`), 'utf8'));
    const form = new URLSearchParams({
      environment: 'production',
      facts_format: 'application/json',
      facts: encodeURIComponent(JSON.stringify({ name: certname, values })),
    });
    const identity = { 'X-Client-Verify': 'SUCCESS', 'X-Client-DN': `CN=${certname}` };
    const type = { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' };
    const headers = { ...type, ...identity };
    const url = `/puppet/v3/catalog/${certname}?environment=production`;
    // The server believes the headers; a certname gets one certificate, which is for Understudy.
    const who = asking === server.asking ? null : certname;
    const answer = await asking.ask({ method: 'POST', url, who, headers, body: form.toString() });
    console.error(`${certname}: ${answer.status} ${answer.status === 200 ? '' : answer.body.slice(0, 500)}`);
    return answer;
  }

  /** What tells two compiles of one catalog apart. */
  const cut = (body: string) => ({ ...Object(JSON.parse(body)), version: null, catalog_uuid: null });

  it(
    'passes a node on, compares it, and switches it',
    async () => {
      const [name = ''] = names;
      const url = `https://localhost:${server.port}`;
      const own = [
        '--tls-certificate',
        file('certificate.pem'),
        '--tls-key',
        file('key.pem'),
        '--tls-ca',
        file('ca.pem'),
      ];
      const flags = ['--ca-upstream', url, '--compiler-upstream', url, ...own, ...PUPPET_7];
      const data = file('data');
      const local = await LocalProcess.start({ data, controlRepo: code, autosign: false, flags });
      try {
        const here = new Asking(local.port);
        const understudy = (...args: readonly string[]) =>
          execFileSync(process.execPath, ['functions/cli.ts', ...args, '--data', data], { encoding: 'utf8' });
        const direct = await checkIn(name);
        understudy('policy', 'set', '--compiler', 'upstream', '--node', name);
        expect(cut((await checkIn(name, here)).body)).toEqual(cut(direct.body));
        understudy('policy', 'set', '--compiler', 'compare', '--node', name);
        await new Promise((resolve) => setTimeout(resolve, 5100));
        expect(cut((await checkIn(name, here)).body)).toEqual(cut(direct.body));
        let compared: string | null = null;
        while (compared === null) {
          await new Promise((resolve) => setTimeout(resolve, 2000));
          try {
            compared = understudy('node', 'compare', name);
          } catch (error) {
            if (!String(Object(error).stderr).includes('was not compared')) throw error;
          }
        }
        console.error(compared);
        // No other node is compiled here, so that nothing of theirs can be collected.
        const [, ...changes] = compared.trimEnd().split('\n');
        expect(changes.filter((line) => !/^ {2}Sshkey\[.*\] removed$/.test(line))).toEqual([]);
        understudy('policy', 'delete', '--node', name);
        await new Promise((resolve) => setTimeout(resolve, 5100));
        const ours = await checkIn(name, here);
        expect(ours.status).toBe(200);
        expect(JSON.parse(ours.body).code_id).toMatch(/^[0-9a-f]{64}$/);
      } finally {
        await local.end('SIGTERM');
      }
    },
    LONG_MS,
  );

  /** Waits until PuppetDB has facts and a catalog of each node that are newer than `since`. */
  async function waitForStored(since: number): Promise<void> {
    for (;;) {
      const answer = await fetch(`${database.url}/pdb/query/v4/nodes`);
      const nodes = (await answer.json()) as readonly Readonly<Record<string, string | null>>[];
      const isNew = (time: string | null | undefined) => Date.parse(time ?? '') >= since;
      const stored = nodes.filter((node) => isNew(node.facts_timestamp) && isNew(node.catalog_timestamp));
      if (stored.length === names.length) return;
      console.error(`PuppetDB has stored ${stored.length} of ${names.length} nodes`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  /** The server asks for exports through `line`, which this process serves meanwhile. */
  async function compare(
    ...args: readonly string[]
  ): Promise<{ readonly text: string; readonly found: FleetComparison }> {
    const run = async (format: string): Promise<string> => {
      const command = ['functions/cli.ts', 'compare', '--control-repo', code, ...PUPPET_7, ...args];
      const state = ['--state-file', file(`state-${format}`), '--format', format];
      try {
        return (await execute(process.execPath, [...command, ...state], { maxBuffer: 1e9 })).stdout;
      } catch (error) {
        const { code: status, stdout } = Object(error);
        if (status === 2) return String(stdout);
        throw error;
      }
    };
    return { text: await run('text'), found: JSON.parse(await run('json')) };
  }

  it(
    'compiles here as PuppetDB has it, with what its nodes export',
    async () => {
      const { text, found } = await compare('--puppetdb', database.url);
      console.error(text);
      expect(found.compared).toBe(names.length);
      expect(found).toMatchObject({ equal: names.length, different: 0, failing: 0, unknown: 0 });
    },
    LONG_MS,
  );

  it(
    'compiles here as its server does now',
    async () => {
      const own = ['--ca-cert', file('ca.pem'), '--cert', file('certificate.pem'), '--key', file('key.pem')];
      const { text, found } = await compare(
        '--puppetdb',
        database.url,
        '--server',
        `https://localhost:${server.port}`,
        ...own,
      );
      console.error(text);
      expect(found).toMatchObject({ equal: names.length, different: 0, failing: 0, unknown: 0 });
    },
    LONG_MS,
  );
});
