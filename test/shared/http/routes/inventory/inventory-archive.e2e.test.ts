import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAdministration } from '../../../../../shared/inventory/commands/administration.ts';
import { QueueFull } from '../../../../../shared/inventory/commands/queue-room.ts';
import type { SentCommand } from '../../../../../shared/inventory/commands/store-command.ts';
import { packTar, readTar } from '../../../../../shared/util/tar-stream.ts';
import { type InventoryWorld, openInventoryWorld } from '../../../../helpers/inventory-world.ts';
import { fillInventory } from './inventory-data.ts';

const PATH = '/pdb/admin/v1/archive';
const METADATA = 'puppetdb-bak/export-metadata.json';
const VERSIONS = { replace_facts: 5, replace_catalog: 9, store_report: 8 };
let first: InventoryWorld;
let second: InventoryWorld;
beforeAll(async () => {
  [first, second] = [await openInventoryWorld(), await openInventoryWorld()];
  await fillInventory(first);
});
afterAll(async () => {
  await first.remove();
  await second.remove();
});

const retention = { nodeMs: null, purgeMs: 0, reportMs: null };
const administrationOf = ({ database }: InventoryWorld) => ({
  administration: createAdministration({ database, retention, now: () => Date.now() }),
});
const download = () => first.send({ path: PATH }, administrationOf(first));

async function* inPieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

async function listEntries(archive: Buffer) {
  const found: [string, Record<string, unknown>][] = [];
  for await (const { name, bytes } of readTar(inPieces(gunzipSync(archive)), 2 ** 20)) {
    found.push([name, JSON.parse(bytes.toString())]);
  }
  return found;
}

/** Sends an archive as curl's `-F archive=@FILE` does. */
function upload(archive: Uint8Array, queue: object = second.services.queue) {
  const start = '--B\r\nContent-Disposition: form-data; name="archive"; filename="x.tgz"\r\n\r\n';
  const body = Buffer.concat([Buffer.from(start), archive, Buffer.from('\r\n--B--\r\n')]);
  const headers = { 'content-type': 'multipart/form-data; boundary=B' };
  const services = { ...administrationOf(second), queue: queue as typeof second.services.queue };
  return second.send({ method: 'POST', path: PATH, headers, body }, services);
}

async function pack(...files: readonly (readonly [name: string, text: string])[]): Promise<Buffer> {
  async function* listFiles() {
    for (const [name, text] of files) yield { name, bytes: Buffer.from(text) };
  }
  return gzipSync(await buffer(packTar(listFiles(), () => 0)));
}
const metadata = [METADATA, JSON.stringify({ command_versions: VERSIONS })] as const;

/** A queue that keeps what it gets. */
function openQueue() {
  const commands: SentCommand[] = [];
  const enqueue = async (command: SentCommand) => {
    commands.push(command);
    return [];
  };
  return { commands, enqueue };
}

describe('an export', () => {
  it('has a command in a file for all that active nodes have, in the layout of PuppetDB', async () => {
    const { status, headers, bytes } = await download();
    expect([status, headers['Content-Type']]).toEqual([200, 'application/octet-stream']);
    expect(headers['Content-Disposition']).toMatch(/^attachment; filename=puppetdb-export-.*Z\.tgz$/);
    const [[name, about] = ['', {}], ...entries] = await listEntries(bytes);
    expect([name, about.command_versions]).toEqual([
      METADATA,
      { ...VERSIONS, configure_expiration: 1, replace_catalog_inputs: 1 },
    ]);
    const names = entries.map(([one]) => one.replace(/-[0-9a-f]{40}\.json$/, '-HASH.json'));
    expect(names).toContain('puppetdb-bak/facts/beta.test.json');
    expect(names).toContain('puppetdb-bak/catalogs/alpha.test-HASH.json');
    expect(names).toContain('puppetdb-bak/reports/alpha.test-HASH.json');
    expect(names.filter((one) => one.includes('gone.test'))).toEqual([]);
  });

  it('gives another inventory the same data', async () => {
    second.services.queue.start();
    const { bytes } = await download();
    expect(await upload(bytes)).toMatchObject({ status: 200, text: '{"ok":true}' });
    const read = async (world: InventoryWorld, query: string) => {
      const { text } = await world.send({ path: '/pdb/query/v4', parameters: { query } });
      return JSON.parse(text) as unknown[];
    };
    const queries = [
      'nodes[certname, catalog_environment, report_environment] { order by certname }',
      'facts[certname, name, value] { order by certname, name }',
      'resources[certname, type, title, parameters, exported] { node_state = "active" order by certname, type, title }',
      'edges[certname, source_title, target_title, relationship] { order by certname, source_title, target_title }',
      'reports[certname, status, transaction_uuid, logs, metrics] { type ~ "." order by certname, transaction_uuid }',
      'events[certname, resource_title, property, status, message] { order by certname, resource_title, property }',
      'package_inventory[certname, package_name, version] { order by certname, package_name }',
    ];
    await expect
      .poll(() => second.send({ path: '/pdb/query/v4', parameters: { query: 'reports[count()] { type ~ "." }' } }), {
        timeout: 30_000,
      })
      .toMatchObject({ text: JSON.stringify(await read(first, 'reports[count()] { type ~ "." }')) });
    for (const query of queries) {
      const [wanted, found] = [await read(first, query), await read(second, query)];
      expect(wanted.length).toBeGreaterThan(0);
      expect(found).toEqual(wanted);
    }
    await second.services.queue.stop();
  });

  const anonymized = (anonymization_profile: string) =>
    first.send({ path: PATH, parameters: { anonymization_profile } }, administrationOf(first));

  it('is as it is with the profile none, and refused with one that is not there', async () => {
    const [plain, none] = [
      await listEntries((await download()).bytes),
      await listEntries((await anonymized('none')).bytes),
    ];
    expect(none.slice(1)).toEqual(plain.slice(1));
    expect(await anonymized('some')).toMatchObject({
      status: 400,
      text: 'The anonymization profile must be one of full, moderate, low, none',
    });
  });

  it.each(['low', 'moderate', 'full'])(
    'names no node with the profile %s, and has others each time',
    async (profile) => {
      const [one, other] = [await anonymized(profile), await anonymized(profile)];
      const [entries, others] = [await listEntries(one.bytes), await listEntries(other.bytes)];
      const text = JSON.stringify(entries);
      for (const name of ['alpha.test', 'beta.test', 'gone.test']) expect(text).not.toContain(name);
      const plain = await listEntries((await download()).bytes);
      expect(entries.map(([name]) => name.split('/')[1])).toEqual(plain.map(([name]) => name.split('/')[1]));
      expect(entries.slice(1).filter(([name]) => others.some(([another]) => another === name))).toEqual([]);
    },
  );

  it.each(['moderate', 'full'])(
    'with the profile %s gives an inventory nodes whose parts belong together',
    async (profile) => {
      const third = await openInventoryWorld();
      third.services.queue.start();
      const { bytes } = await anonymized(profile);
      const start = '--B\r\nContent-Disposition: form-data; name="archive"; filename="x.tgz"\r\n\r\n';
      const body = Buffer.concat([Buffer.from(start), bytes, Buffer.from('\r\n--B--\r\n')]);
      const headers = { 'content-type': 'multipart/form-data; boundary=B' };
      const services = { ...administrationOf(third), queue: third.services.queue };
      expect(await third.send({ method: 'POST', path: PATH, headers, body }, services)).toMatchObject({ status: 200 });
      const count = async (world: InventoryWorld, query: string) => {
        const { text } = await world.send({ path: '/pdb/query/v4', parameters: { query } });
        return (JSON.parse(text) as { readonly count: number }[])[0]?.count;
      };
      const queries = [
        'reports[count()] { type ~ "." }',
        'nodes[count()] { catalog_environment ~ "." }',
        'facts[count()] { node_state = "active" }',
        'resources[count()] { node_state = "active" }',
        'resources[count()] { exported = true and node_state = "active" }',
        'edges[count()] { node_state = "active" }',
        'events[count()] { certname ~ "." }',
        'package_inventory[count()] { certname ~ "." }',
        'reports[count()] { certname in nodes[certname] { catalog_environment ~ "." } and type ~ "." }',
      ];
      for (const query of queries) {
        const wanted = await count(first, query);
        expect(wanted).toBeGreaterThan(0);
        await expect.poll(() => count(third, query), { timeout: 30_000 }).toBe(wanted);
      }
      await third.services.queue.stop();
      await third.remove();
    },
  );

  it('runs alone', async () => {
    const { administration } = administrationOf(first);
    const [one, other] = await Promise.all([download(), first.send({ path: PATH }, { administration })]);
    expect([one.status, other.status].sort()).toEqual([200, 409]);
    expect((await download()).status).toBe(200);
  });
});

describe('an import', () => {
  let queue: ReturnType<typeof openQueue>;
  beforeEach(() => {
    queue = openQueue();
  });

  it('takes the commands of an archive, with its versions and their bytes', async () => {
    const hash = 'a'.repeat(40);
    const archive = await pack(
      metadata,
      ['puppetdb-bak/facts/a-b.test.json', '{ "certname" : "a-b.test", "n" : 1.0 }'],
      [`puppetdb-bak/catalogs/a.test-${hash}.json`, '{}'],
      [`puppetdb-bak/reports/a-1.test-${hash}.json`, '{}'],
      ['puppetdb-bak/reports/no-hash.json', '{}'],
      ['puppetdb-bak/other/a.test.json', '{}'],
    );
    expect(await upload(archive, queue)).toMatchObject({ status: 200, text: '{"ok":true}' });
    expect(queue.commands.map(({ command, version, certname }) => [command, version, certname])).toEqual([
      ['replace facts', 5, 'a-b.test'],
      ['replace catalog', 9, 'a.test'],
      ['store report', 8, 'a-1.test'],
    ]);
    expect(Buffer.from(queue.commands[0]?.payload ?? []).toString()).toBe('{ "certname" : "a-b.test", "n" : 1.0 }');
  });

  it('waits while the queue is full', async () => {
    let refusals = 2;
    const enqueue = async (command: SentCommand) => {
      refusals -= 1;
      if (refusals >= 0) throw new QueueFull('9 commands');
      return queue.enqueue(command);
    };
    const archive = await pack(metadata, ['puppetdb-bak/facts/a.test.json', '{}']);
    expect((await upload(archive, { enqueue })).status).toBe(200);
    expect(queue.commands).toHaveLength(1);
  });

  it.each<[string, () => Uint8Array | Promise<Uint8Array>, string]>([
    ['no archive', () => Buffer.from('x'), 'The body is no tar archive, compressed with gzip'],
    [
      'a damaged archive',
      async () => (await pack(metadata)).subarray(0, 60),
      'The body is no tar archive, compressed with gzip',
    ],
    [
      'no metadata',
      () => pack(['puppetdb-bak/facts/a.test.json', '{}']),
      `Unable to find export metadata file '${METADATA}' in archive`,
    ],
    ['an empty archive', () => pack(), `Unable to find export metadata file '${METADATA}' in archive`],
    ['metadata without versions', () => pack([METADATA, '{}']), `The entry '${METADATA}' has no command_versions`],
    [
      'a retired version',
      () => pack([METADATA, '{"command_versions":{"replace_facts":3}}'], ['puppetdb-bak/facts/a.test.json', '{}']),
      "The archive's version of 'replace facts' must be a number from 4 on",
    ],
    [
      'a file that is no JSON',
      () => pack(metadata, ['puppetdb-bak/facts/a.test.json', '{']),
      "The entry 'puppetdb-bak/facts/a.test.json' is no JSON",
    ],
  ])('refuses %s', async (_, make, message) => {
    const { status, text } = await upload(await make(), queue);
    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
    expect(queue.commands).toEqual([]);
  });

  it('needs a form', async () => {
    const send = (type: string) =>
      second.send(
        { method: 'POST', path: PATH, headers: { 'content-type': type }, body: 'x' },
        administrationOf(second),
      );
    expect(await send('application/gzip')).toMatchObject({
      status: 400,
      text: "The body must be a form (multipart/form-data) with the file 'archive'",
    });
    expect(await send('multipart/form-data; boundary=B')).toMatchObject({
      status: 400,
      text: "The body has no part 'archive'",
    });
  });
});
