import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogBlob, putCatalog } from '../../shared/fleet/catalogs/catalog-blob.ts';
import { storeFacts } from '../../shared/fleet/facts/facts-blob.ts';
import { storeQuietRun } from '../../shared/fleet/reports/node-reports.ts';
import type { CommandSender } from '../../shared/inventory/forward/delivery-errors.ts';
import { PuppetdbForwarder } from '../../shared/inventory/forward/puppetdb-forwarder.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { EmbeddedBlobStore } from '../../shared/store/embedded/blob-store.ts';
import { EmbeddedDatabase } from '../../shared/store/embedded/database.ts';
import { digestExports } from '../../shared/store/exports-digest.ts';
import { followOnce } from '../../shared/store/follow-changes.ts';
import { createTables } from '../../shared/store/sql/tables.ts';
import { ManualClock } from './memory-stores.ts';
import { NO_INPUTS } from './no-inputs.ts';

/** Stores of a server whose nodes change, and what sends the changes to a PuppetDB. */
export class ForwardWorld {
  readonly clock: ManualClock;
  readonly stores;
  readonly forwarder: PuppetdbForwarder;
  readonly troubles: string[] = [];
  readonly #directory = mkdtempSync(join(tmpdir(), 'understudy-forward-'));
  readonly #database = new EmbeddedDatabase(this.#directory);

  constructor(sender: CommandSender, url: string, time: number) {
    this.clock = new ManualClock(time);
    const tables = createTables(this.#database, { clock: this.clock });
    this.stores = { ...tables, clock: this.clock, blobs: new EmbeddedBlobStore(this.#directory) };
    const onTrouble = (message: string) => this.troubles.push(message);
    this.forwarder = new PuppetdbForwarder({ stores: this.stores, sender, url, producer: 'p.test', onTrouble });
  }

  close(): void {
    this.#database.close();
    rmSync(this.#directory, { recursive: true });
  }

  async sayFacts(certname: string, kernel: string): Promise<void> {
    const { stores, clock } = this;
    const said = { facts: PuppetHash.of([['kernel', kernel]]), trusted: PuppetHash.of([['certname', certname]]) };
    await stores.nodes.markSeen(certname, 'production', clock.now());
    const facts = await storeFacts(stores.blobs, said, clock.now());
    await stores.nodes.want(certname, 'facts', clock.now(), { asked: true, facts });
  }

  /** Commits a catalog with one class. */
  async commit(certname: string, title: string): Promise<void> {
    const { stores, clock } = this;
    const at = clock.now();
    const resource = { type: 'Class', title, tags: ['class'], exported: false };
    const catalog = catalogBlob(JSON.stringify({ name: certname, resources: [resource], edges: [] }), 'c', at);
    await putCatalog(stores.blobs, catalog, 'c');
    const generation = (await stores.nodes.want(certname, 'code', at, { asked: true }))?.wanted ?? 0;
    const pointer = {
      hash: catalog.hash,
      codeId: 'c',
      namedCode: [],
      compiledAt: at,
      durationMs: 1,
      exported: digestExports([]),
    };
    await stores.nodes.lease(certname, at, at, null);
    await stores.nodes.commit({ certname, generation, catalog: pointer, failure: null, inputs: NO_INPUTS, at });
  }

  /** A run that changed nothing. */
  async sendReport(certname: string, uuid: string): Promise<void> {
    const time = this.clock.now();
    await storeQuietRun(this.stores, {
      certname,
      receivedAt: time,
      status: 'unchanged',
      environment: 'production',
      time: new Date(time).toISOString(),
      puppetVersion: '8.0.0',
      transactionUuid: uuid,
      noop: false,
      quiet: {},
    });
  }

  /** Sends all changes that there are. */
  async follow(): Promise<void> {
    while (await followOnce(this.stores.nodeChanges, this.forwarder));
  }
}
