import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ClientError, ServiceUnreachable } from '../../../../shared/cli/client/client-error.ts';
import { JsonRowSplitter } from '../../../../shared/cli/client/json-rows.ts';
import {
  type ImportOptions,
  type ImportState,
  importPuppetdb,
} from '../../../../shared/moving-over/puppetdb/import-puppetdb.ts';
import { type InventoryWorld, openInventoryWorld } from '../../../helpers/inventory-world.ts';
import { fillInventory } from '../../http/routes/inventory/inventory-data.ts';

let [source, target]: [InventoryWorld | null, InventoryWorld | null] = [null, null];
let options: ImportOptions;
const START: ImportState = { source: 'a', target: 'b', after: '', nodes: 0, commands: 0 };
/** What was sent, what was saved and what was rejected, since the test began. */
let [sent, saved, rejected, pauses]: [string[], ImportState[], string[], number[]] = [[], [], [], []];
let fail: (what: string) => void = () => undefined;

beforeAll(async () => {
  source = await openInventoryWorld();
  target = await openInventoryWorld();
  await fillInventory(source);
  const [from, to] = [source, target];
  options = {
    source: {
      async *readRows(path, parameters) {
        fail(`read ${path}`);
        const headers = { 'content-type': 'application/json' };
        const body = JSON.stringify(parameters);
        const { status, text } = await from.send({ method: 'POST', path: `/pdb/query/v4${path}`, headers, body });
        if (status !== 200) throw new ClientError(text);
        yield* new JsonRowSplitter().split(text);
      },
    },
    target: {
      sendCommand: async (command, version, certname, payload) => {
        fail(`${command} ${certname}`);
        sent.push(`${command} ${certname}`);
        await to.apply(command, version, payload);
      },
    },
    state: START,
    reportsAPage: 1,
    mostReports: 100,
    sleep: async (milliseconds) => {
      pauses.push(milliseconds);
    },
    save: async (state) => {
      saved.push(state);
    },
    onRejected: (message) => rejected.push(message),
  };
});
afterAll(async () => {
  await source?.remove();
  await target?.remove();
});
beforeEach(() => {
  [sent, saved, rejected, pauses] = [[], [], [], []];
  fail = () => undefined;
});

const QUERIES = [
  'nodes[certname, deactivated, facts_environment, report_timestamp, latest_report_status] { node_state = "any" }',
  'inventory[certname, facts, trusted, environment] { node_state = "any" }',
  'facts { node_state = "any" }',
  'package_inventory[certname, package_name, version, provider] {}',
  'resources[certname, type, title, tags, exported, file, line, parameters] { node_state = "any" }',
  'edges[certname, source_type, source_title, relationship, target_type, target_title] { node_state = "any" }',
  'catalogs[certname, version, transaction_uuid, code_id, producer, environment] { node_state = "any" }',
  'reports[certname, transaction_uuid, status, noop, type, producer, start_time, metrics, logs] { type ~ "." }',
  'events[certname, timestamp, resource_type, resource_title, property, status, message, old_value, new_value, containing_class, containment_path] {}',
];

/** The answer of an inventory: its rows in an order of their own, with sets in order. */
async function ask(world: InventoryWorld | null, query: string): Promise<readonly string[]> {
  const { status, text } = (await world?.send({ path: '/pdb/query/v4', parameters: { query } })) ?? {
    status: 0,
    text: '',
  };
  expect([query, status]).toEqual([query, 200]);
  return (JSON.parse(text) as Record<string, unknown>[])
    .map((row) => JSON.stringify(row, (key, value) => (key === 'href' ? undefined : value)))
    .toSorted();
}

it('gives the target what the source answers', async () => {
  const { state, rejected: count } = await importPuppetdb(options);
  expect(count).toBe(0);
  expect(state).toMatchObject({ nodes: saved.at(-1)?.nodes, commands: sent.length });
  for (const query of QUERIES) {
    const expected = await ask(source, query);
    expect(expected.length, query).toBeGreaterThan(0);
    expect(await ask(target, query)).toEqual(expected);
  }
});

it('imports nothing again that a state has, and nothing twice with another effect', async () => {
  await importPuppetdb({ ...options, state: { ...START, after: 'alpha.test', nodes: 1, commands: 5 } });
  expect(sent.filter((one) => one.endsWith(' alpha.test'))).toEqual([]);
  expect(sent).toContain('replace facts beta.test');
  for (const query of QUERIES) expect(await ask(target, query)).toEqual(await ask(source, query));
});

it('tries again while an inventory is away, with growing pauses, and gives up in the end', async () => {
  let failures = 3;
  fail = () => {
    failures -= 1;
    if (failures >= 0) throw new ServiceUnreachable('http://source.test', new Error('refused'));
  };
  await importPuppetdb(options);
  expect(pauses).toEqual([1000, 2000, 4000]);
  fail = () => {
    throw new ServiceUnreachable('http://source.test', new Error('refused'));
  };
  await expect(importPuppetdb(options)).rejects.toThrow('http://source.test cannot be reached: refused');
  expect(pauses.slice(3)).toEqual([1000, 2000, 4000, 8000, 16_000]);
});

it('goes on after a command that is rejected, and counts it', async () => {
  fail = (what) => {
    if (what === 'replace catalog alpha.test') throw new ClientError('no');
  };
  const { rejected: count, state } = await importPuppetdb(options);
  expect([count, rejected]).toEqual([1, ["'replace catalog' of alpha.test was rejected: no"]]);
  expect(state.commands).toBe(sent.length);
  expect(sent).toContain('replace facts beta.test');
});
