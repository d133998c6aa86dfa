import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPuppet } from '../helpers/puppet.ts';
import { EditableControlRepo } from './control-repo.ts';
import { LocalProcess } from './local-process.ts';
import { PuppetAgent } from './puppet-agent.ts';
import { openWithSmallAuthority } from './small-authority.ts';

const CLI = fileURLToPath(new URL('../../functions/cli.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'understudy-e2e-ca-'));
const data = join(folder, 'data');
const controlRepo = new EditableControlRepo(join(folder, 'control-repo'));
const agent = new PuppetAgent('c.example.com');
const FACTS = { tier: 'silver' };
let local: LocalProcess;

function understudy(...args: readonly string[]): string {
  return execFileSync(process.execPath, [CLI, ...args, '--data', data], { encoding: 'utf8' });
}

describe.skipIf(!hasPuppet())('an agent whose certificate is signed by hand', () => {
  beforeAll(async () => {
    (await openWithSmallAuthority(data, false)).close();
    local = await LocalProcess.start({ data, controlRepo: controlRepo.directory, autosign: false });
  });

  afterAll(async () => {
    await local?.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  it('waits for the signature, then runs', async () => {
    const run = agent.run(local.port, FACTS, 1);
    await expect
      .poll(() => understudy('ca', 'list', '--state', 'requested'), { interval: 500 })
      .toContain('c.example.com');
    expect(understudy('ca', 'sign', 'c.example.com')).toBe('Signed the certificate of c.example.com.\n');
    const { output } = await run;
    expect(output).toContain('Info: Certificate for c.example.com has not been signed yet');
    expect(output).toContain('Notice: motto: common motto');
  });

  it('is forbidden everything once its certificate is revoked', async () => {
    expect(understudy('ca', 'clean', 'c.example.com')).toBe('Revoked the certificate of c.example.com.\n');
    const { output } = await agent.run(local.port, FACTS);
    expect(output).toContain(
      'Error: Could not retrieve catalog from remote server: Error 403 on SERVER: ' +
        'Forbidden request: /puppet/v3/catalog/c.example.com (method :post). Please see the server logs for details.',
    );
  });
});
