/**
 * Check-ins of nodes with Debian's packaged modules, with the real stores: facts that change at
 * every run, and the passing of time, cost no compile unless the catalog depends on them.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trustedFacts } from '../../shared/access/ca/trusted-facts.ts';
import type { CatalogAnswer } from '../../shared/fleet/catalogs/catalog-service.ts';
import { DEFAULT_RING, feed } from '../../shared/fleet/compiles/ring.ts';
import { compile } from '../../shared/puppet/compiler/compile.ts';
import { EnvironmentRuby } from '../../shared/puppet/ruby/environment-ruby.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { parseJson } from '../../shared/puppet/serialization/json.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { CompileWorld, catalogOf } from '../helpers/compile-world.ts';
import { BESIDE, isBeside } from '../helpers/material-beside.ts';
import { ManualClock } from '../helpers/memory-stores.ts';
import { hasModules, writeControlRepo } from './installed-modules.ts';
import { factsOf } from './node-facts.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 20);

type Facts = Readonly<Record<string, unknown>>;

class Fleet {
  readonly clock = new ManualClock(START);
  readonly world = new CompileWorld(this.clock, compile);
  readonly #ruby = createWasmRuby({});

  constructor() {
    const { settings } = this.world.context;
    // Debian's modules are of the time of Puppet 7.
    Object.assign(this.world.context, {
      ruby: new EnvironmentRuby(this.#ruby),
      settings: { ...settings, strict: 'warning', strictVariables: false },
    });
  }

  close(): void {
    this.#ruby.close();
    this.world.close();
  }

  /** Checks in, and once more after the compile when the request is held. */
  async checkIn(certname: string, facts: Facts): Promise<CatalogAnswer> {
    const hash = parseJson(JSON.stringify(facts));
    if (!(hash instanceof PuppetHash)) throw new Error('facts are a hash');
    const checkIn = {
      certname,
      environment: 'production',
      facts: hash,
      trusted: trustedFacts(certname, new Map()),
      checksumType: 'sha256',
    };
    for (let turn = 0; turn < 2; turn += 1) {
      const accepted = await this.world.createService().accept(checkIn);
      if (accepted.kind === 'answered') {
        if (accepted.answer.status === 'current') return accepted.answer;
        throw new Error(JSON.stringify(accepted.answer));
      }
      await this.world.runJobs();
    }
    throw new Error(`${certname} has no catalog after its compile`);
  }

  /** Compiles, verifications and state of a node. */
  async counts(certname: string) {
    const node = await this.world.stores.nodes.get(certname);
    return [node?.compiles, node?.verifications, node?.failure?.message ?? 'ok'] as const;
  }

  /** One round of the feeder, and the jobs that it sends. */
  async turnRing(): Promise<readonly string[]> {
    await feed(this.world.stores, DEFAULT_RING);
    return (await this.world.runJobs()).map(({ outcome }) => outcome);
  }
}

/** The facts of a later run: uptime, load, memory and free space differ. */
function later(facts: Facts, run: number): Facts {
  const memory = { available_bytes: 1000 * run, used_bytes: 2000 - run, capacity: `${run}%` };
  return {
    ...facts,
    uptime: `${run} days`,
    uptime_seconds: 86_400 * run,
    system_uptime: { seconds: 86_400 * run, hours: 24 * run, days: run, uptime: `${run} days` },
    load_averages: { '1m': run / 10, '5m': run / 20, '15m': run / 30 },
    memory: { ...partOf(facts, 'memory'), system: { ...partOf(partOf(facts, 'memory'), 'system'), ...memory } },
    memoryfree: `${run} MiB`,
    memoryfree_mb: run,
  };
}

function partOf(facts: Facts, name: string): Facts {
  const part = facts[name];
  return typeof part === 'object' && part !== null ? { ...part } : {};
}

/**
 * Replaces the linked module by a copy whose update.pp reads the fact by its name, as releases
 * since 9.0 do. Debian's reads a variable of the class that does not exist.
 */
function readFactOfApt(module: string): void {
  const source = realpathSync(module);
  rmSync(module);
  cpSync(source, module, { recursive: true });
  const file = join(module, 'manifests/update.pp');
  const fact = "$facts['apt_update_last_success']";
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('$apt::apt_update_last_success', fact));
}

const NODE = 'web.example.com';

describe.skipIf(!hasModules())('a node with apt', () => {
  let fleet: Fleet;
  const facts = (success: number): Facts => ({
    ...factsOf('web', 'debian12'),
    apt_update_last_success: Math.floor(success / 1000),
  });
  /** `refreshonly` of the command that updates the list of packages. */
  const refreshOnly = (answer: CatalogAnswer) => {
    const { resources } = catalogOf(answer) as { resources: { title: string; parameters?: Facts }[] };
    return resources.find(({ title }) => title === 'apt_update')?.parameters?.refreshonly;
  };

  beforeAll(async () => {
    fleet = new Fleet();
    writeControlRepo(fleet.world.repo, new Map([[NODE, "class { 'apt': update => { 'frequency' => 'daily' } }\n"]]));
    const modules = join(fleet.world.repo, 'environments/production/modules');
    for (const name of readdirSync(modules)) if (name !== 'apt' && name !== 'stdlib') rmSync(join(modules, name));
    readFactOfApt(join(modules, 'apt'));
    // Its modules are links to those of the machine.
    await fleet.world.deploy('production', { followLinks: true });
  });
  afterAll(() => fleet.close());

  it('is served from the store at every run, and verified by the ring, until its packages are a day old', async () => {
    const success = START - 2 * HOUR;
    expect(refreshOnly(await fleet.checkIn(NODE, facts(success)))).toBe(true);
    expect(await fleet.counts(NODE)).toEqual([1, 0, 'ok']);
    for (let run = 1; run <= 3; run += 1) {
      fleet.clock.time += 31 * MINUTE;
      expect((await fleet.checkIn(NODE, later(facts(success), run))).status).toBe('current');
      expect(await fleet.turnRing()).toEqual(['verified']);
    }
    fleet.clock.time = START + 22 * HOUR;
    expect((await fleet.checkIn(NODE, facts(success))).status).toBe('current');
    expect(await fleet.counts(NODE)).toEqual([1, 3, 'ok']);
    fleet.clock.time += 1000;
    expect(refreshOnly(await fleet.checkIn(NODE, facts(success)))).toBe(false);
    expect(await fleet.counts(NODE)).toEqual([2, 3, 'ok']);
    expect((await fleet.world.stores.nodes.get(NODE))?.reasons.at(-1)).toBe('time 2026-11-20T22:00:01.000Z passed');
    fleet.clock.time += 365 * 24 * HOUR;
    expect(await fleet.turnRing()).toEqual(['verified']);
    expect(refreshOnly(await fleet.checkIn(NODE, facts(fleet.clock.time)))).toBe(true);
    fleet.clock.time += 25 * HOUR;
    expect(await fleet.turnRing()).toEqual(['compiled']);
  });
});

describe.skipIf(!hasModules() || !isBeside('controlRepo'))('nodes of the control repo', () => {
  const NODES = ['base01.example.com', 'web01.example.com', 'lb01.example.com'];
  let fleet: Fleet;

  beforeAll(async () => {
    fleet = new Fleet();
    execFileSync('bash', [join(BESIDE.controlRepo, 'setup.sh'), fleet.world.repo]);
    await fleet.world.deploy('production', { followLinks: true });
  });
  afterAll(() => fleet.close());

  it.each(NODES)(
    '%s is served from the store when only uptime and memory changed',
    async (certname) => {
      const document: { readonly values?: Facts } = JSON.parse(
        readFileSync(join(BESIDE.controlRepo, 'facts', `${certname}.json`), 'utf8'),
      );
      const facts = document.values ?? { ...document };
      expect((await fleet.checkIn(certname, facts)).status).toBe('current');
      expect(await fleet.counts(certname)).toEqual([1, 0, 'ok']);
      for (let run = 1; run <= 4; run += 1) {
        fleet.clock.time += 31 * MINUTE;
        expect((await fleet.checkIn(certname, later(facts, run))).status).toBe('current');
        await fleet.turnRing();
      }
      fleet.clock.time += 7 * HOUR;
      await fleet.turnRing();
      expect(await fleet.counts(certname)).toEqual([1, 5, 'ok']);
    },
    300_000,
  );
});
