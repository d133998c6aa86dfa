import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { CertificateAuthority } from '../../shared/access/ca/authority.ts';
import { NO_VAULT } from '../../shared/access/ca/authority-record.ts';
import { FRONT_DOOR_VARIABLES } from '../../shared/config/front-doors.ts';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { StoreUnavailable } from '../../shared/store/ports/store-errors.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { intercept } from '../helpers/intercept.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-edge-'));
const stores = openEmbeddedStores(join(folder, 'data'));
/** As often the store is unavailable at first. */
let faults = 3;
const pauses: number[] = [];
vi.mock('../../shared/store/aws/stores.ts', () => ({
  openAwsStores: () => ({
    ...stores,
    clock: intercept(stores.clock, {
      sleep: async (pauseMs) => {
        if (faults < 0) return stores.clock.sleep(pauseMs);
        pauses.push(pauseMs);
      },
    }),
    documents: intercept(stores.documents, {
      get: (collection, key) => {
        faults -= 1;
        if (faults >= 0) throw new StoreUnavailable('table documents: throttled');
        return stores.documents.get(collection, key);
      },
    }),
  }),
}));
let authority: CertificateAuthority;

beforeAll(async () => {
  const options = { name: 'edge', autosign: false, keyBits: 2048 };
  authority = await CertificateAuthority.open(stores.documents, stores.clock, options);
  await authority.serverCredentials('puppet.example.com', ['puppet'], NO_VAULT);
});
afterAll(() => {
  stores.close();
  rmSync(folder, { recursive: true });
});

function ask(port: number, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/status/v1/simple', ca: authority.certificatePem, servername };
    get(options, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () => resolve(text));
    }).on('error', reject);
  });
}

it('the edge waits for the store, then listens with a certificate for the names that it is told', async () => {
  const port = await findFreePort();
  vi.stubEnv(FRONT_DOOR_VARIABLES.edgeHost, '127.0.0.1');
  vi.stubEnv(FRONT_DOOR_VARIABLES.edgePort, String(port));
  vi.stubEnv(FRONT_DOOR_VARIABLES.edgeNames, 'puppet.example.com,puppet');
  vi.stubEnv(FRONT_DOOR_VARIABLES.keyHolder, 'https://localhost:1');
  await import('../../functions/edge.ts');
  await expect.poll(() => ask(port, 'puppet.example.com').catch(String)).toBe('running');
  expect(await ask(port, 'puppet')).toBe('running');
  expect(pauses).toEqual([1000, 2000, 4000]);
  await expect(ask(port, 'other.example.com')).rejects.toThrow("Hostname/IP does not match certificate's altnames");
});
