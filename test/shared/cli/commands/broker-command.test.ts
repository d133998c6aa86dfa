import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../shared/access/ca/authority.ts';
import { systemClock } from '../../../../shared/store/system-clock.ts';
import { POLICY } from '../../../helpers/broker-world.ts';
import { MemoryDocuments } from '../../../helpers/memory-stores.ts';
import { PxpClient } from '../../../helpers/pxp-agent.ts';

const PROGRAM = fileURLToPath(new URL('../../../../functions/understudy', import.meta.url));

it('understudy broker closes its connections on SIGTERM, one after another, and ends', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-broker-'));
  const naming = { name: 'ours', autosign: true, keyType: 'ec' } as const;
  const authority = await CertificateAuthority.open(new MemoryDocuments(), systemClock, naming);
  const { certificate, key } = await authority.serverCredentials('localhost', []);
  const files = { certificate, key, ca: authority.certificatePem, crl: (await authority.revocationLists()).pem };
  const flags = Object.entries({ ...files, policy: POLICY }).flatMap(([name, content]) => {
    writeFileSync(join(folder, name), content);
    return [`--${name}`, join(folder, name)];
  });
  const broker = spawn(PROGRAM, ['broker', '--port', '0', '--drain-time', '5', ...flags], { stdio: 'pipe' });
  try {
    const ended = once(broker, 'exit');
    const [line] = await once(createInterface({ input: broker.stdout }), 'line');
    const port = Number(/^The PCP broker listens on wss:\/\/127\.0\.0\.1:(\d+)\/pcp2\//.exec(line)?.[1]);
    const agent = await authority.generate('web01.example.com', [], false);
    const credentials = { certificate: agent.certificate, key: agent.key, trusted: authority.certificatePem };
    const types = Array.from({ length: 8 }, (_, index) => `type${index}`);
    const clients = await Promise.all(types.map((type) => PxpClient.connect(port, credentials, type)));
    broker.kill('SIGTERM');
    const ends = await Promise.all(clients.map((client) => client.ended));
    expect(new Set(ends)).toEqual(new Set(['1001 Broker is stopping.']));
    await expect(PxpClient.connect(port, credentials)).rejects.toThrow(/ECONNREFUSED/);
    expect(await ended).toEqual([0, null]);
  } finally {
    broker.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
});
