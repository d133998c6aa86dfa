import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { addCopyTablesCommand } from '../../../../../shared/cli/commands/aws/copy-tables-command.ts';
import { ENVIRONMENT_VARIABLES, TABLES } from '../../../../../shared/config/deployment.ts';
import { type AwsClients, openAwsStores } from '../../../../../shared/store/aws/stores.ts';
import { StoreRefused } from '../../../../../shared/store/ports/store-errors.ts';
import { deployNames, type Emulators, startEmulators } from '../../../../helpers/aws-emulators.ts';
import { intercept } from '../../../../helpers/intercept.ts';

const QUEUES = { visibilityMs: 30_000, maxReceives: 3 };
const NODES = Array.from({ length: 60 }, (_, index) => `node${String(index).padStart(2, '0')}.example.com`);
let emulators: Emulators;
/** The names of a deployment that was lost, and of the one that takes its place. */
let old: Record<string, string>;
let next: Record<string, string>;
let lines: string[];

beforeAll(async () => {
  emulators = await startEmulators();
  old = await deployNames(emulators.clients, QUEUES);
  const stores = openAwsStores(old, emulators.clients);
  for (const certname of NODES) await stores.nodes.markSeen(certname, 'production', 1);
  await stores.documents.put('ca', 'key', { pem: 'x', serial: 9_007_199_254_740_991 });
  const exported = { certname: 'node00.example.com', type: 'Notify', title: 'a', tags: ['b'], parameters: { c: 1 } };
  await stores.exports.replaceExports('node00.example.com', 1, [exported]);
});
afterAll(() => emulators.close());
beforeEach(async () => {
  next = await deployNames(emulators.clients, QUEUES);
  lines = [];
});

const variableOf = (table: string) => ENVIRONMENT_VARIABLES[`${table}Table` as keyof typeof ENVIRONMENT_VARIABLES];
const nameOf = (names: Record<string, string>, table: string) => names[variableOf(table)] ?? '';
const sources = (tables: readonly string[] = Object.keys(TABLES)) =>
  tables.map((table) => `${table}=${nameOf(old, table)}`);

async function copy(args: readonly string[], clients: AwsClients = emulators.clients): Promise<void> {
  const program = new Command().exitOverride();
  addCopyTablesCommand(program, async (text) => void lines.push(text), next, clients);
  await program.parseAsync(['copy-tables', ...args], { from: 'user' });
}

it('copies all tables into those of a new stack', async () => {
  await copy(['--from', ...sources()]);
  expect(lines).toContain(`Copied 60 items of ${nameOf(old, 'nodes')} to ${nameOf(next, 'nodes')} (nodes).\n`);
  expect(lines).toHaveLength(Object.keys(TABLES).length);
  const [before, after] = [old, next].map((names) => openAwsStores(names, emulators.clients));
  for (const certname of [NODES[0], NODES[59]] as const) {
    expect(await after?.nodes.get(certname ?? '')).toEqual(await before?.nodes.get(certname ?? ''));
  }
  expect(await after?.documents.get('ca', 'key')).toEqual({ pem: 'x', serial: 9_007_199_254_740_991 });
  const found = await after?.exports.collect([{ type: 'Notify', query: ['=', 'tag', 'b'] }], 'other');
  expect(found).toMatchObject([{ certname: 'node00.example.com', title: 'a', parameters: { c: 1 } }]);
});

it('goes on with a copy that was cut short', async () => {
  const { dynamodb } = emulators.clients;
  let writes = 0;
  const failing = intercept(dynamodb, {
    send: async (command: object) => {
      const answer: unknown = await Reflect.apply(dynamodb.send, dynamodb, [command]);
      writes += command instanceof BatchWriteItemCommand ? 1 : 0;
      if (writes > 3) throw new Error('cut short');
      return answer;
    },
  });
  const args = ['--partial', '--from', ...sources(['nodes'])];
  await expect(copy(args, { ...emulators.clients, dynamodb: failing })).rejects.toThrow('cut short');
  const target = nameOf(next, 'nodes');
  const refused = `table ${target} is not empty; --resume goes on with a copy that was cut short`;
  await expect(copy(args)).rejects.toThrow(new StoreRefused(refused));
  await copy([...args, '--resume']);
  expect(lines).toEqual([`Copied 60 items of ${nameOf(old, 'nodes')} to ${target} (nodes).\n`]);
  expect(await openAwsStores(next, emulators.clients).nodes.get(NODES[59] ?? '')).not.toBeNull();
});

it('writes again what DynamoDB left unprocessed', async () => {
  const { dynamodb } = emulators.clients;
  let left = 2;
  const throttled = intercept(dynamodb, {
    send: async (command: object) => {
      if (!(command instanceof BatchWriteItemCommand) || left === 0) {
        return Reflect.apply(dynamodb.send, dynamodb, [command]);
      }
      left -= 1;
      return { UnprocessedItems: command.input.RequestItems };
    },
  });
  await copy(['--partial', '--from', ...sources(['documents'])], { ...emulators.clients, dynamodb: throttled });
  expect(await openAwsStores(next, emulators.clients).documents.get('ca', 'key')).not.toBeNull();
});

it.each<[string, () => readonly string[], () => string]>([
  [
    'a table that is none of the stack',
    () => ['facts=x'],
    () => `'facts=x' is not TABLE=NAME, with one of ${Object.keys(TABLES).join(', ')} as TABLE`,
  ],
  [
    'a missing table',
    () => sources(['nodes', 'exports', 'collectors', 'environments', 'dependencies', 'jobs']),
    () => '--from does not name a table for documents; --partial leaves them out',
  ],
  [
    'a table of another kind',
    () => ['--partial', `nodes=${nameOf(old, 'documents')}`],
    () => `table ${nameOf(old, 'documents')} has the keys collection, key, not certname`,
  ],
  [
    "the stack's own table",
    () => ['--partial', `nodes=${nameOf(next, 'nodes')}`],
    () => `table ${nameOf(next, 'nodes')} cannot be copied to itself`,
  ],
])('refuses %s', async (_, given, message) => {
  const args = given().flatMap((one) => (one.startsWith('--') ? [one] : ['--from', one]));
  await expect(copy(args)).rejects.toThrow(new StoreRefused(message()));
});

it('names the variable of the stack that is not set', async () => {
  next = {};
  await expect(copy(['--from', ...sources()])).rejects.toThrow(
    new StoreRefused('UNDERSTUDY_NODES_TABLE is not set: it names the table of the stack to copy to'),
  );
});
