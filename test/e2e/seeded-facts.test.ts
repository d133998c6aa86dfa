import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPuppet } from '../helpers/puppet.ts';
import { EditableControlRepo } from './control-repo.ts';
import { LocalProcess } from './local-process.ts';
import { PuppetAgent } from './puppet-agent.ts';
import { openWithSmallAuthority } from './small-authority.ts';

const CLI = fileURLToPath(new URL('../../functions/cli.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'understudy-e2e-seeded-'));
const data = join(folder, 'data');
const controlRepo = new EditableControlRepo(join(folder, 'control-repo'));
const agent = new PuppetAgent('a.example.com');
const FACTS = { tier: 'silver', web_port: '8080' };
let local: LocalProcess;

function understudy(...args: readonly string[]): string {
  return execFileSync(process.execPath, [CLI, ...args, '--data', data], { encoding: 'utf8' });
}

/** The server's metrics, read with the agent's certificate. */
async function readMetrics(): Promise<string> {
  const pem = (kind: string) => readFileSync(join(agent.folder, 'ssldir', kind, 'a.example.com.pem'), 'utf8');
  const client = { cert: pem('certs'), key: pem('private_keys'), rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const asked = request({ ...client, host: 'localhost', port: local.port, path: '/metrics' }, (response) =>
      text(response).then(resolve, reject),
    );
    asked.once('error', reject).end();
  });
}

describe.skipIf(!hasPuppet())('an agent whose facts were seeded', () => {
  beforeAll(async () => {
    (await openWithSmallAuthority(data, false)).close();
    local = await LocalProcess.start({ data, controlRepo: controlRepo.directory, autosign: false });
  });

  afterAll(async () => {
    await local?.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  it('is compiled when its certificate is signed, and served from the store in its first run', async () => {
    expect((await agent.run(local.port, FACTS)).output).toContain(
      'Certificate for a.example.com has not been signed yet',
    );
    const { output: shown } = await agent.command(local.port, 'facts', 'show', '--render-as', 'json');
    const own = { ...FACTS, e2e_root: agent.root, e2e_flavour: 'vanilla' };
    const file = join(folder, 'facts.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(shown.slice(shown.indexOf('{'))), ...own }));
    expect(understudy('node', 'facts', 'a.example.com', '--file', file)).toBe(
      'a.example.com has facts, and waits for its certificate\n',
    );
    expect(understudy('ca', 'sign', 'a.example.com')).toBe('Signed the certificate of a.example.com.\n');
    await local.waitFor(/ compiled a\.example\.com/);
    const { output, code } = await agent.run(local.port, FACTS);
    expect(output).toContain('Notice: motto: common motto');
    expect(code).toBe(2);
    expect(await readMetrics()).toContain('understudy_catalog_answers_total{answer="hit"} 1');
    expect(local.lines.filter((one) => one.includes(' compiled a.example.com'))).toHaveLength(1);
  });
});
