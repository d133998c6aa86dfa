import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAccessSurface, REQUESTS_OF_ACTIVITIES } from '../../helpers/rights/access-surface.ts';
import { openBrokerSurface } from '../../helpers/rights/broker-surface.ts';
import { openConsoleSurface } from '../../helpers/rights/console-surface.ts';
import {
  describeSurface,
  type Identity,
  listMissing,
  listStale,
  type Surface,
} from '../../helpers/rights/describe-surface.ts';
import { openDoorSurface } from '../../helpers/rights/door-surface.ts';
import { openInventorySurface } from '../../helpers/rights/inventory-surface.ts';
import { openOperatorSurface } from '../../helpers/rights/operator-surface.ts';
import { openOrchestratorSurface } from '../../helpers/rights/orchestrator-surface.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/rights');
const MINUTE_MS = 60_000;

type Judged = <T>(use: <Who>(surface: Surface<Who>, identities: readonly Identity<Who>[]) => Promise<T>) => Promise<T>;

/** The surfaces by the names of their tables. */
const SURFACES: Readonly<Record<string, Judged>> = {
  access: async (use) => {
    const surface = await openAccessSurface();
    const requests = { ...surface.requests, ...REQUESTS_OF_ACTIVITIES };
    return use({ ...surface, requests }, surface.identities);
  },
  'front-door': async (use) => {
    const surface = await openDoorSurface();
    return use(surface, surface.identities);
  },
  inventory: async (use) => {
    const surface = await openInventorySurface();
    return use(surface, surface.identities);
  },
  broker: async (use) => {
    const surface = await openBrokerSurface();
    return use(surface, surface.identities);
  },
  console: async (use) => {
    const surface = await openConsoleSurface();
    const found = await use(surface, surface.identities);
    surface.close();
    return found;
  },
  orchestrator: async (use) => {
    const surface = await openOrchestratorSurface();
    const found = await use(surface, surface.identities);
    surface.close();
    return found;
  },
  operators: async (use) => {
    const surface = await openOperatorSurface();
    return use(surface, surface.identities);
  },
};

describe.each(Object.entries(SURFACES))('the %s', (name, open) => {
  it('answers each identity as its table says, on every route', { timeout: MINUTE_MS }, async () => {
    const { missing, stale, table } = await open(async (surface, identities) => ({
      missing: listMissing(surface),
      stale: listStale(surface),
      table: await describeSurface(surface, identities),
    }));
    expect({ missing, stale }).toEqual({ missing: [], stale: [] });
    const file = join(FOLDER, `${name}.ours.txt`);
    if (process.env.UPDATE_FIXTURES !== undefined) writeFileSync(file, table);
    expect(table).toBe(readFileSync(file, 'utf8'));
  });
});
