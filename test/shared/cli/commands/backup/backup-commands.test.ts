import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../../../shared/access/ca/authority.ts';
import { addBackupCommands } from '../../../../../shared/cli/commands/backup/backup-commands.ts';
import { describeChecksums } from '../../../../../shared/cli/commands/backup/verify-inventory.ts';
import { CATALOG_LOST, catalogKey } from '../../../../../shared/fleet/catalogs/catalog-blob.ts';
import { readLastBackup } from '../../../../../shared/fleet/code/last-backup.ts';
import { verifyStores } from '../../../../../shared/fleet/code/verify-stores.ts';
import { factsBlobOf } from '../../../../../shared/fleet/facts/facts-blob.ts';
import { HierarchyStore } from '../../../../../shared/fleet/groups/hierarchy-store.ts';
import { readDamage } from '../../../../../shared/store/embedded/damage/damage-log.ts';
import { openKeyFileVault } from '../../../../../shared/store/embedded/key-file-vault.ts';
import { openEmbeddedStores } from '../../../../../shared/store/embedded/stores.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../../helpers/compile-world.ts';

const WEB = 'web01.example.com';
const OTHER = 'web02.example.com';
let world: CompileWorld;
let data: string;
let file: string;
let restored: string;
let lines: string[];

beforeEach(async () => {
  world = new CompileWorld();
  data = join(world.directory, 'data');
  file = join(world.directory, 'understudy.backup');
  restored = join(world.directory, 'restored');
  lines = [];
  world.addScript(WEB, { files: ['data/common.yaml'] });
  world.addScript(OTHER, { files: ['data/common.yaml'] });
  world.write({ 'environments/production/data/common.yaml': 'motto: one\n' });
  await world.deploy();
  for (const certname of [WEB, OTHER]) await world.run(checkIn(certname, { os: 'Debian' }));
});
afterEach(() => world.close());

function run(...args: string[]): Promise<unknown> {
  const program = new Command().exitOverride();
  const print = async (text: string) => void lines.push(text);
  addBackupCommands(program, print, {});
  return program.parseAsync(args, { from: 'user' });
}

/** A worker and a front door on restored stores. */
async function inRestored<T>(work: (world: CompileWorld) => Promise<T>): Promise<T> {
  const there = new CompileWorld(undefined, undefined, restored);
  try {
    return await work(there);
  } finally {
    there.close();
  }
}

async function hashOfCatalog(certname: string, { stores }: CompileWorld = world): Promise<string> {
  const node = await stores.nodes.get(certname);
  if (!node?.catalog) throw new Error(`${certname} has no catalog`);
  return node.catalog.hash;
}

describe('a backup of a data directory', () => {
  it('is restored with nodes, catalogs, code and the certificate authority', async () => {
    const vault = openKeyFileVault(join(data, 'ca-key-file'), true);
    const options = { name: 'backed up', autosign: true, keyType: 'ec', vault } as const;
    const before = await CertificateAuthority.open(world.stores.documents, world.stores.clock, options);
    const served = catalogOf(await world.run(checkIn(WEB, { os: 'Debian' })));
    await run('backup', file, '--data', data);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(data).filter((name) => name.startsWith('backup-'))).toEqual([]);
    await run('restore', file, '--data', restored);
    await run('verify', '--data', restored);
    const count = /with (\d+) blobs/.exec(lines[1] ?? '')?.[1];
    expect(lines).toEqual([
      `Wrote the database and ${count} blobs to ${file}. It has the file that opens the key of the CA: keep it as safe as that.\n`,
      expect.stringMatching(/^Restored the backup of \S+Z with \d+ blobs\.\n$/),
      expect.stringMatching(/^Verified 1 environment with \d+ files, 2 nodes with \d catalogs\.\n$/),
    ]);
    const known = { file, blobs: Number(count), at: expect.any(Number) };
    expect(await readLastBackup(world.stores.documents)).toEqual(known);
    await inRestored(async (there) => {
      expect(await readLastBackup(there.stores.documents)).toBeNull();
      expect(catalogOf(await there.run(checkIn(WEB, { os: 'Debian' })))).toEqual(served);
      const { documents, clock } = there.stores;
      const own = openKeyFileVault(join(restored, 'ca-key-file'), false);
      const after = await CertificateAuthority.open(documents, clock, { ...options, vault: own });
      expect(after.certificatePem).toBe(before.certificatePem);
      expect((await after.generate('new.example.com', [], false)).certificate).toContain('BEGIN CERTIFICATE');
    });
  });

  it('has no keys when they are kept elsewhere, and is whole with them', async () => {
    const vault = openKeyFileVault(join(data, 'ca-key-file'), true);
    const options = { name: 'backed up', autosign: true, keyType: 'ec', vault } as const;
    const { documents, clock } = world.stores;
    const before = await CertificateAuthority.open(documents, clock, options);
    await run('backup', file, '--without-key', '--data', data);
    await run('restore', file, '--data', restored);
    expect(lines.join('')).not.toContain('It has the file that opens the key');
    expect(lines.at(-1)).toContain('It has no key file: copy ca-key-file and values-key-file');
    expect(readdirSync(restored).filter((name) => name.endsWith('key-file'))).toEqual([]);
    copyFileSync(join(data, 'ca-key-file'), join(restored, 'ca-key-file'));
    await inRestored(async ({ stores }) => {
      const own = openKeyFileVault(join(restored, 'ca-key-file'), false);
      const after = await CertificateAuthority.open(stores.documents, clock, { ...options, vault: own });
      expect(after.certificatePem).toBe(before.certificatePem);
    });
  });

  it('is of one moment, whatever is written meanwhile', async () => {
    const writing = (async () => {
      for (let round = 0; round < 5; round += 1) {
        world.write({ 'environments/production/data/common.yaml': `motto: ${round}\n` });
        await world.deploy();
        await world.runJobs();
      }
    })();
    await run('backup', file, '--data', data);
    await writing;
    await run('restore', file, '--data', restored);
    await inRestored(async ({ stores }) => {
      expect((await verifyStores(stores, false)).findings).toEqual([]);
    });
  });

  it('overwrites neither a file nor a data directory', async () => {
    await run('backup', file, '--data', data);
    await expect(run('backup', file, '--data', data)).rejects.toThrow(`the file '${file}' exists`);
    await expect(run('restore', file, '--data', data)).rejects.toThrow(
      `data directory '${data}' is not empty: move it away first`,
    );
  });

  it('is restored whole or not at all', async () => {
    await run('backup', file, '--data', data);
    truncateSync(file, statSync(file).size - 100);
    await expect(run('restore', file, '--data', restored)).rejects.toThrow(`'${file}' is no backup of Understudy: `);
    writeFileSync(file, 'no archive');
    await expect(run('restore', file, '--data', restored)).rejects.toThrow(`'${file}' is no backup of Understudy: `);
    expect(existsSync(restored)).toBe(false);
    expect(readdirSync(world.directory).filter((name) => name.startsWith('restored'))).toEqual([]);
  });
});

describe('a copy of tables and blobs of different moments', () => {
  /** What a deployment restores: its tables of one time, its bucket of another. */
  async function copyInTwoSteps(first: 'tables' | 'bucket'): Promise<void> {
    const [early, late] = [join(world.directory, 'early'), join(world.directory, 'late')];
    await run('backup', `${file}.early`, '--data', data);
    world.write({ 'environments/production/data/common.yaml': 'motto: two\n' });
    await world.deploy();
    await world.run(checkIn(WEB, { os: 'Ubuntu' }));
    await world.runJobs();
    await run('backup', `${file}.late`, '--data', data);
    await run('restore', `${file}.early`, '--data', early);
    await run('restore', `${file}.late`, '--data', late);
    const [tables, bucket] = first === 'tables' ? [early, late] : [late, early];
    mkdirSync(restored);
    copyFileSync(join(tables, 'understudy.db'), join(restored, 'understudy.db'));
    cpSync(join(bucket, 'blobs'), join(restored, 'blobs'), { recursive: true });
  }

  it('lacks nothing when the bucket is copied after the tables', async () => {
    await copyInTwoSteps('tables');
    await inRestored(async (there) => {
      expect((await verifyStores(there.stores, false)).findings).toEqual([]);
      // Its facts are newer than its record: they are compiled with at the next check-in.
      expect(catalogOf(await there.run(checkIn(WEB, { os: 'Ubuntu' })))).toMatchObject({ name: WEB });
    });
  });

  it('is healed when the bucket was copied before the tables', async () => {
    await copyInTwoSteps('bucket');
    const lost = await hashOfCatalog(WEB);
    await inRestored(async (there) => {
      const { findings } = await verifyStores(there.stores, true);
      expect(findings.map(({ key }) => key)).toEqual(
        expect.arrayContaining([expect.stringMatching(/^snapshots\//), catalogKey(lost)]),
      );
      const codeId = (await world.stores.environments.get('production'))?.codeId;
      expect(findings).toContainEqual({
        key: `snapshots/${codeId}`,
        namedBy: 'production',
        remedy: 'deploy the environment again',
      });
      there.write({ 'environments/production/data/common.yaml': 'motto: two\n' });
      for (const certname of [WEB, OTHER]) there.addScript(certname, { files: ['data/common.yaml'] });
      await there.deploy();
      await there.runJobs();
      expect((await verifyStores(there.stores, false)).findings).toEqual([]);
      expect(await hashOfCatalog(WEB, there)).toBe(lost);
    });
  });
});

describe('verify', () => {
  it('names what is lost, and has it healed with --repair', async () => {
    const hash = await hashOfCatalog(WEB);
    await world.stores.blobs.delete(catalogKey(hash));
    const other = { certname: OTHER, facts: (await world.stores.nodes.get(OTHER))?.facts ?? null };
    await world.stores.blobs.delete(factsBlobOf(other));
    await expect(run('verify', '--data', data)).rejects.toThrow(
      'blobs are missing or damaged; --repair heals what can be healed',
    );
    expect(lines).toContain(`${catalogKey(hash)} of ${WEB} is missing or damaged: the node is compiled again\n`);
    expect(lines).toContain(
      `${factsBlobOf(other)} of ${OTHER} is missing or damaged: the next run of the agent sends them\n`,
    );
    expect((await world.stores.nodes.get(WEB))?.reasons).not.toContain(CATALOG_LOST);
    await run('verify', '--repair', '--data', data);
    expect((await world.stores.nodes.get(WEB))?.reasons).toContain(CATALOG_LOST);
    await world.runJobs();
    expect(await world.stores.blobs.has(catalogKey(hash))).toBe(true);
  });

  it('finds that the groups in force cannot be read, and puts the newest earlier ones in force', async () => {
    const { groups, blobs } = world.stores;
    const describe = async (...descriptions: readonly string[]) => {
      for (const description of descriptions) {
        await new HierarchyStore(world.stores).change(({ groups: before }) =>
          before.map((group) => ({ ...group, description })),
        );
      }
    };
    await describe('one', 'two', 'three');
    const head = await groups.get();
    const [key, middle] = [`groups/${head?.digest}`, `groups/${head?.history[0]}`];
    await blobs.delete(key);
    await blobs.put(middle, new TextEncoder().encode('damaged'));
    const remedy = 'the newest earlier state that can be read takes its place; look at the groups';
    await expect(run('verify', '--data', data)).rejects.toThrow('1 blobs are missing or damaged');
    expect(lines).toContain(`${key} of the node groups is missing or damaged: ${remedy}\n`);
    await run('verify', '--repair', '--data', data);
    expect((await verifyStores(world.stores, false)).findings).toEqual([]);
    const { hierarchy } = await new HierarchyStore(world.stores).read();
    expect(hierarchy.groups.map(({ description }) => description)).toEqual(['one']);
    await describe('four');

    const later = await groups.get();
    for (const digest of [later?.digest, ...(later?.history ?? [])]) await blobs.delete(`groups/${digest}`);
    const lost = 'no earlier state of the groups can be read: restore a backup';
    expect((await verifyStores(world.stores, true)).findings).toEqual([
      { key: `groups/${later?.digest}`, namedBy: 'the node groups', remedy: lost },
    ]);
    expect(await groups.get()).toEqual(later);
  });

  it('names blobs that no record names, once, and forgets them with --repair', async () => {
    await world.stores.blobs.put('reports/a/b', new TextEncoder().encode('a report'));
    const file = join(data, 'blobs/reports/a/b@1');
    writeFileSync(file, readFileSync(file).fill(0, 0, 1));
    await expect(run('verify', '--data', data)).rejects.toThrow(
      '1 blobs are missing or damaged; --repair heals what can be healed',
    );
    const line = 'reports/a/b is damaged and counts as missing: nothing else has it: the report is lost\n';
    expect(lines).toContain(line);
    await run('verify', '--repair', '--data', data);
    lines.length = 0;
    await run('verify', '--data', data);
    expect(lines).not.toContain(line);
  });

  it('reads all pages of the inventory', async () => {
    mkdirSync(join(data, 'inventory/global'), { recursive: true });
    mkdirSync(join(data, 'inventory/base/5'), { recursive: true });
    writeFileSync(join(data, 'inventory/base/5/16572'), Buffer.alloc(8192, 1));
    await expect(run('verify', '--data', data)).rejects.toThrow('the inventory is damaged: move its folder away');
    expect(lines).toContain(
      `${data}/inventory/base/5/16572 has damage in 1 page: stop the server and move '${data}/inventory' away; what the server knows of its nodes is fed again, commands of others are not\n`,
    );
  });

  it.each([
    [{ isOn: true, failures: 0 }, 'has met no damaged page; pg_amcheck reads all'],
    [
      { isOn: false, failures: 0 },
      "has no data checksums and finds no damaged page: stop it and run 'pg_checksums --enable'",
    ],
    [
      { isOn: true, failures: 2 },
      'has met damage in 2 pages: its log names them; restore its backup, or begin with an empty database, to which the server feeds its nodes again',
    ],
  ])('says what checksums %j of a PostgreSQL mean', (state, text) => {
    expect(describeChecksums(state)).toBe(text);
  });

  it('says that a PostgreSQL does not answer', async () => {
    await expect(run('verify', '--data', data, '--puppetdb-database', 'postgresql://u@127.0.0.1:1/x')).rejects.toThrow(
      "the inventory's PostgreSQL was not looked at: the database cannot be reached: Error: connect ECONNREFUSED 127.0.0.1:1",
    );
  });

  it('has no stack trace, and one line each, for damaged rows; --repair deletes what is made anew', async () => {
    world.stores.close();
    const plain = new DatabaseSync(join(data, 'understudy.db'));
    // As a flipped bit does: another value, and the same checksum.
    plain.function('row_digest', { deterministic: true, varargs: true }, () => 1);
    plain.exec('UPDATE nodes SET compiles = 77; UPDATE dependency_sets SET parts = parts');
    plain.close();
    await expect(run('verify', '--data', data)).rejects.toThrow(/^\d+ rows of the database are damaged; --repair/);
    expect(lines).toContain(
      `The row '${WEB}' of table nodes is damaged: the next run of its agent makes it anew; send its classification again\n`,
    );
    expect(readDamage(data)).toContainEqual({ kind: 'row', name: `'${WEB}' of table nodes` });
    await run('verify', '--repair', '--data', data);
    expect(readDamage(data)).toEqual([]);
    await run('verify', '--data', data);
    expect(lines.at(-1)).toContain('0 nodes');
  });

  it('finds a file whose content is another, which the next deploy uploads again', async () => {
    const { blobs } = world.stores;
    const { entries } = await blobs.list('files/');
    const [key = ''] = entries.map(({ key }) => key);
    await blobs.put(key, new TextEncoder().encode('damaged'));
    const { findings } = await verifyStores(world.stores, true);
    expect(findings).toEqual([{ key, namedBy: 'production', remedy: 'deploy the environment again' }]);
    await world.deploy();
    expect((await verifyStores(world.stores, false)).findings).toEqual([]);
  });
});

describe('a data directory without its database', () => {
  it.each([
    ['is missing', (path: string) => rmSync(path)],
    ['is empty', (path: string) => truncateSync(path)],
  ])('is refused when it %s, instead of getting another certificate authority', async (_, damage) => {
    openKeyFileVault(join(data, 'ca-key-file'), true);
    world.stores.close();
    for (const suffix of ['-wal', '-shm']) rmSync(join(data, `understudy.db${suffix}`), { force: true });
    damage(join(data, 'understudy.db'));
    const message = `data directory '${data}' has blobs and a ca-key-file, but understudy.db is missing or empty: restore a backup ('understudy restore'), or move the directory away to start with a new certificate authority`;
    expect(() => openEmbeddedStores(data)).toThrow(message);
    rmSync(join(data, 'blobs'), { recursive: true });
    expect(() => openEmbeddedStores(data)).toThrow('has a ca-key-file, but understudy.db is missing or empty');
    rmSync(join(data, 'ca-key-file'));
    openEmbeddedStores(data).close();
  });

  it('is refused when the database is none, with what to do', async () => {
    world.stores.close();
    writeFileSync(join(data, 'understudy.db'), 'x'.repeat(8192));
    for (const suffix of ['-wal', '-shm']) rmSync(join(data, `understudy.db${suffix}`), { force: true });
    const message = `data directory '${data}' cannot be used: file is not a database: restore a backup ('understudy restore')`;
    expect(() => openEmbeddedStores(data)).toThrow(message);
    await expect(run('verify', '--data', data)).rejects.toThrow(message);
  });
});
