import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { switchEnvironment } from '../../shared/fleet/code/deploy.ts';
import { cutFiles } from '../../shared/fleet/dependencies/cut-files.ts';
import { EmbeddedDatabase } from '../../shared/store/embedded/database.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { memberShard } from '../../shared/store/member-shard.ts';
import type { DependencySet } from '../../shared/store/ports/dependency-index.ts';
import type { InputSummary } from '../../shared/store/ports/node-record.ts';
import { deployFolder, prepareFolder } from '../helpers/deploy-folder.ts';
import { NO_INPUTS } from '../helpers/no-inputs.ts';

export const ROOT = 'environments/production';
const KEYS = 30;
/** Rows of one statement. */
const BATCH = 20_000;
/** Stands for the certname in a template. */
const NAME = 'certname.example.com';

/** The code of the fleet: a role's module and data, a module of all, and data of all. */
export const CHANGES = {
  one_role: { [`${ROOT}/modules/role_7/manifests/init.pp`]: 'class role_7 { include base }' },
  common: { [`${ROOT}/data/common.yaml`]: dataOf('changed') },
  module: { [`${ROOT}/modules/base/manifests/init.pp`]: 'class base { notify { "changed": } }' },
} as const;

/**
 * A fleet of nodes that are all current, as compiles of `roles` roles would leave it: records,
 * dependency sets and memberships are written directly into the embedded store.
 */
export class SimulatedFleet {
  /** In memory where that can be had: every commit waits for the disk otherwise. */
  readonly directory: string;
  readonly #repo: string;
  readonly #roles: number;

  constructor(parent: string = tmpdir(), roles = 200) {
    this.directory = mkdtempSync(join(parent, 'understudy-fleet-'));
    this.#repo = join(this.directory, 'repo');
    this.#roles = roles;
  }

  get data(): string {
    return join(this.directory, 'data');
  }

  close(): void {
    rmSync(this.directory, { recursive: true });
  }

  /** Deploys the code and makes `nodes` nodes. */
  async create(nodes: number): Promise<void> {
    this.#write({ [`${ROOT}/manifests/site.pp`]: '', [`${ROOT}/modules/base/manifests/init.pp`]: 'class base { }' });
    this.#write({ [`${ROOT}/data/common.yaml`]: dataOf('first') });
    for (let role = 0; role < this.#roles; role += 1) {
      this.#write({ [`${ROOT}/modules/role_${role}/manifests/init.pp`]: `class role_${role} { }` });
    }
    await this.#withStores(async (stores) => {
      await deployFolder(stores, this.#repo, 'production', 'simulation');
      for (let role = 0; role < this.#roles; role += 1) await stores.dependencies.define(setOf(role));
    });
    this.#insertNodes(nodes);
  }

  /** Puts a change in force, and invalidates nobody. */
  async switchTo(change: Readonly<Record<string, string>>): Promise<void> {
    this.#write(change);
    await this.#withStores(async (stores) => {
      const { codeId } = await prepareFolder(stores, this.#repo, 'production');
      await switchEnvironment(stores, 'production', codeId, 'simulation');
    });
  }

  /** The number of nodes that the deploy invalidated once, and of those that it did more often. */
  countTold(): { readonly once: number; readonly again: number } {
    return this.#withDatabase((database) => {
      const row = database.getNow(
        'SELECT count(*) FILTER (WHERE wanted = built + 1) AS once, count(*) FILTER (WHERE wanted > built + 1) AS again FROM nodes',
      );
      return { once: Number(row?.once), again: Number(row?.again) };
    });
  }

  /** Leaves all nodes current, as if all jobs were done, and received messages visible. */
  finishJobs(): void {
    this.#withDatabase((database) => {
      database.runNow('DELETE FROM jobs');
      database.runNow('UPDATE nodes SET built = wanted, started = wanted WHERE built < wanted');
    });
  }

  /** Makes the messages of killed workers visible. */
  releaseInFlight(): Promise<void> {
    return this.#withStores(async (stores) => stores.releaseInFlight());
  }

  #insertNodes(nodes: number): void {
    this.#withDatabase((database) => {
      const sets = Array.from({ length: this.#roles }, (_, role) => setOf(role).id);
      for (let first = 0; first < nodes; first += BATCH) {
        const rows = Array.from({ length: Math.min(BATCH, nodes - first) }, (_, index) => {
          const certname = `n${String(first + index).padStart(7, '0')}.example.com`;
          const set = sets[(first + index) % this.#roles] ?? '';
          return { certname, set, shard: memberShard(certname), inputs: JSON.stringify(inputsOf(certname, set)) };
        });
        this.#insertBatch(database, JSON.stringify(rows));
      }
    });
  }

  #insertBatch(database: EmbeddedDatabase, rows: string): void {
    database.runNow('BEGIN IMMEDIATE');
    database.runNow(
      `INSERT INTO nodes (certname, environment, wanted, built, started, reasons, wanted_at, touched_at,
           asked_generation, asked_at, inputs, dependency_set, membership, last_seen, ring_position, compiles, verifications)
         SELECT value ->> '$.certname', 'production', 1, 1, 1, '[]', 1, 1, 1, 1, value ->> '$.inputs', value ->> '$.set',
           '1', 1, 1, 1, 0 FROM json_each(?)`,
      rows,
    );
    database.runNow(
      `INSERT INTO dependency_memberships SELECT 'production', value ->> '$.set', value ->> '$.shard',
           value ->> '$.certname', '1', 1 FROM json_each(?)`,
      rows,
    );
    database.runNow(
      `INSERT INTO dependency_owners SELECT 'production', ? || (value ->> '$.certname') || '.yaml',
           value ->> '$.certname' FROM json_each(?)`,
      `${ROOT}/data/nodes/`,
      rows,
    );
    database.runNow('COMMIT');
  }

  #write(files: Readonly<Record<string, string>>): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.#repo, path)), { recursive: true });
      writeFileSync(join(this.#repo, path), content);
    }
  }

  async #withStores<T>(work: (stores: EmbeddedStores) => Promise<T>): Promise<T> {
    const stores = openEmbeddedStores(this.data);
    try {
      return await work(stores);
    } finally {
      stores.close();
    }
  }

  #withDatabase<T>(work: (database: EmbeddedDatabase) => T): T {
    const database = new EmbeddedDatabase(this.data);
    try {
      return work(database);
    } finally {
      database.close();
    }
  }
}

/** The data of all nodes, with this value in each key. */
export function dataOf(value: string): string {
  return Array.from({ length: KEYS }, (_, key) => `base::key${key}: ${value}\n`).join('');
}

/** What a compile of the role reads: manifests by content, data by key, and a file of its own. */
export function setOf(role: number): DependencySet {
  const keys = Object.fromEntries(Array.from({ length: 3 }, (_, key) => [`base::key${key}`, 'digest']));
  const files = {
    [`${ROOT}/manifests/site.pp`]: 'digest',
    [`${ROOT}/modules/base/manifests/init.pp`]: 'digest',
    [`${ROOT}/modules/role_${role}/manifests/init.pp`]: 'digest',
    [`${ROOT}/data/common.yaml`]: '+file',
  };
  return cutFiles('production', NAME, { files, dataKeys: { [`${ROOT}/data/common.yaml`]: keys } }).set;
}

/** The inputs of a node's last commit. */
export function inputsOf(certname: string, set: string): InputSummary {
  const own = { contents: [`${ROOT}/data/nodes/${certname}.yaml`], kinds: [], keys: {} };
  return {
    ...NO_INPUTS,
    dependencies: { set, membership: '1', own, states: '', codeId: null },
  };
}
