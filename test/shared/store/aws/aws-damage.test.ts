/**
 * Property: a flipped bit, a cut, a page of zeros, or two exchanged objects in S3 are reported or
 * harmless, and never another answer; and so are bits, cuts and exchanged attributes of the JSON
 * documents and packed parts of an item in DynamoDB. Numbers and short texts of items are not part
 * of it: see docs/security.md. `UNDERSTUDY_DAMAGES=300` tries so many of each kind.
 */
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { ENVIRONMENT_VARIABLES, PREFIXES } from '../../../../shared/config/deployment.ts';
import { CONSOLE_PREFIX } from '../../../../shared/config/front-doors.ts';
import { openAwsStores } from '../../../../shared/store/aws/stores.ts';
import type { EnvironmentRecord } from '../../../../shared/store/ports/environment-store.ts';
import { StoreRefused } from '../../../../shared/store/ports/store-errors.ts';
import type { Stores } from '../../../../shared/store/ports/stores.ts';
import { deployNames, type Emulators, startEmulators } from '../../../helpers/aws-emulators.ts';
import { damage, TRIES } from '../../../helpers/damage.ts';

let emulators: Emulators;
let names: Record<string, string>;
const counts: Record<string, Record<'reported' | 'harmless', number>> = {};
const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);

beforeAll(async () => {
  emulators = await startEmulators();
  names = await deployNames(emulators.clients, { visibilityMs: 30_000, maxReceives: 3 });
});
afterEach(() => warn.mockClear());
afterAll(async () => {
  warn.mockRestore();
  if (TRIES > 0) console.table(counts);
  await emulators.close();
});

function note(kind: string, outcome: 'reported' | 'harmless'): void {
  const count = counts[kind] ?? { reported: 0, harmless: 0 };
  counts[kind] = { ...count, [outcome]: count[outcome] + 1 };
}

/** Another process, which remembers no damage. */
const open = (): Stores => openAwsStores(names, emulators.clients);

const KINDS = [...Object.values(PREFIXES), CONSOLE_PREFIX];

it.each(KINDS)('an object below %s', async (prefix) => {
  const [key, other] = [`${prefix}a/one`, `${prefix}a/two`];
  const content = Buffer.from(Array.from({ length: 9000 }, (_, index) => index % 251));
  const Bucket = names[ENVIRONMENT_VARIABLES.bucket];
  const { s3 } = emulators.clients;
  await open().blobs.put(key, content);
  await open().blobs.put(other, content.toReversed());
  const [sound, exchanged] = await Promise.all(
    [key, other].map(async (Key) => {
      const { Body, Metadata } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      return { bytes: Buffer.from((await Body?.transformToByteArray()) ?? []), Metadata };
    }),
  );
  expect(sound?.bytes).toEqual(content);
  const objects = [...damage(content, TRIES || 20, prefix.length)].map((bytes) => ({ ...sound, bytes }));
  for (const [index, { bytes, Metadata }] of [...objects, { ...exchanged, bytes: exchanged?.bytes }].entries()) {
    await s3.send(new PutObjectCommand({ Bucket, Key: key, Body: bytes, Metadata }));
    const { blobs } = open();
    const read = [
      () => blobs.get(key),
      async () => {
        const stream = await blobs.stream(key);
        return stream && Buffer.from(await new Response(stream.body).arrayBuffer());
      },
    ][index % 2];
    const found = await read?.().catch(() => null);
    if (found) {
      expect(Buffer.compare(found, content)).toBe(0);
      note(prefix, 'harmless');
      continue;
    }
    expect(warn).toHaveBeenLastCalledWith(expect.stringContaining(`Blob ${key} is damaged`));
    note(prefix, 'reported');
    // Whoever found it can store it again.
    expect(await blobs.has(key)).toBe(false);
    await blobs.putIfAbsent(key, content);
    expect(Buffer.from((await open().blobs.get(key)) ?? [])).toEqual(content);
  }
  expect(counts[prefix]?.reported).toBeGreaterThan(counts[prefix]?.harmless ?? 0);
});

const RECORD: EnvironmentRecord = {
  name: 'production',
  revision: 1,
  codeId: 'c'.repeat(64),
  deployedAt: 1,
  by: 'test',
  settled: 1,
  history: [],
};
const NODE = 'n0.example.com';

/** Fills a table by its store, and reads it. */
const TABLES_WITH_JSON = {
  documents: {
    fill: ({ documents }: Stores) => documents.put('accounts', 'one', { name: 'größer', list: [1, 2, 3] }),
    read: ({ documents }: Stores) => [() => documents.get('accounts', 'one'), () => documents.list('accounts', '', 10)],
  },
  environments: {
    fill: async ({ environments }: Stores) => {
      expect(await environments.replace(RECORD, null)).toBe(true);
    },
    read: ({ environments }: Stores) => [() => environments.get('production'), () => environments.list()],
  },
  nodes: {
    fill: async ({ nodes }: Stores) => {
      const classification = { classes: { 'role::web': {} }, parameters: { zone: 'größer' }, environment: null };
      await nodes.markSeen(NODE, 'production', 1);
      await nodes.classify(NODE, classification, 'classified', 1);
      await nodes.want(NODE, 'first catalog', 1, {
        facts: { digest: 'f'.repeat(64), at: 1 },
        grouping: { state: 'd', classification, values: {}, paths: [], at: 1 },
        external: { ...classification, parameters: {} },
        asked: true,
      });
    },
    read: ({ nodes }: Stores) => [() => nodes.get(NODE), () => nodes.list(null, 10)],
  },
};

/** Text with JSON, and bytes; short texts and numbers have no checksum. */
function isCovered(value: unknown): value is string | Uint8Array {
  return value instanceof Uint8Array || (typeof value === 'string' && /^[[{]/.test(value));
}

it.each(Object.keys(TABLES_WITH_JSON) as (keyof typeof TABLES_WITH_JSON)[])('an item of %s', async (table) => {
  const { fill, read } = TABLES_WITH_JSON[table];
  await fill(open());
  const TableName = names[ENVIRONMENT_VARIABLES[`${table}Table`]];
  const client = DynamoDBDocumentClient.from(emulators.clients.dynamodb);
  const { Items = [] } = await client.send(new ScanCommand({ TableName }));
  const before = JSON.stringify(await Promise.all(read(open()).map((one) => one())));
  const covered = Items.flatMap((item) =>
    Object.keys(item).flatMap((name) => (isCovered(item[name]) ? [{ item, name }] : [])),
  );
  expect(covered.length).toBeGreaterThan(0);
  for (const { item, name } of covered) {
    const kind = `${table}.${name}`;
    const value = item[name];
    const bytes = Buffer.from(value);
    const others = covered.filter((one) => one.item === item && one.name !== name);
    const exchanged = others.flatMap((other) => {
      const found = item[other.name];
      return typeof found === typeof value ? [Buffer.from(found)] : [];
    });
    for (const changed of [...damage(bytes, TRIES || 40, kind.length), ...exchanged]) {
      const damaged = typeof value === 'string' ? changed.toString() : changed;
      await client.send(new PutCommand({ TableName, Item: { ...item, [name]: damaged } }));
      const found = await Promise.all(read(open()).map((one) => one())).catch((error: unknown) => error);
      if (found instanceof Error) {
        expect(found).toBeInstanceOf(StoreRefused);
        expect(found.message).toContain(`the attribute ${name} of `);
        note(kind, 'reported');
      } else {
        expect(JSON.stringify(found)).toBe(before);
        note(kind, 'harmless');
      }
    }
    await client.send(new PutCommand({ TableName, Item: item }));
    expect(counts[kind]?.reported).toBeGreaterThan(counts[kind]?.harmless ?? 0);
  }
});
