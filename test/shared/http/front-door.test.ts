import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../shared/access/ca/authority.ts';
import { openFrontDoor } from '../../../shared/http/front-door.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { ManualClock } from '../../helpers/memory-stores.ts';

const clock = new ManualClock(Date.UTC(2026, 10, 20));
let folder: string;
let stores: EmbeddedStores;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-front-door-'));
  stores = openEmbeddedStores(folder, { clock });
  await CertificateAuthority.open(stores.documents, clock, { name: 'x', autosign: false, keyBits: 2048 });
});
afterEach(() => {
  stores.close();
  rmSync(folder, { recursive: true });
});

it('shows how many catalog requests it holds', async () => {
  const log = { logError: () => undefined };
  const { metrics } = await openFrontDoor(stores, { authorityName: 'x', autosign: false, log });
  expect(await metrics.registry.metrics()).toMatch(/^understudy_catalog_requests_waiting 0$/m);
});

it('counts queues and nodes for the status at most every five seconds, whoever asks', async () => {
  let counted = 0;
  const nodes = new Proxy(stores.nodes, {
    get: (target, name) => {
      if (name === 'getCounts') counted += 1;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const log = { logError: () => undefined };
  const { app } = await openFrontDoor({ ...stores, nodes }, { authorityName: 'x', autosign: false, log });
  // The health checks' patience does not move it.
  clock.sleep = () => new Promise(() => {});
  const ask = () => app.request('/status/v1/services?level=debug', {}, { peer: null });
  const [first, second] = await Promise.all([ask(), ask()]);
  expect(counted).toBe(1);
  expect(await second.json()).toEqual(await first.json());
  clock.time += 5000;
  await ask();
  expect(counted).toBe(2);
});
