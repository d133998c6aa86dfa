/**
 * Random queries with `not`, null and paths that nodes lack: the same rows as PuppetDB gives, or
 * an error where it gives one. An empty PuppetDB at TEST_PUPPETDB (http://127.0.0.1:8080) is filled
 * and asked; with UPDATE_FIXTURES=1, its answers are recorded.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Ast, printAst, writeJson } from '../../../../shared/inventory/ast/ast.ts';
import { type InventoryWorld, openInventoryWorld } from '../../../helpers/inventory-world.ts';
import { RecordedAnswers } from '../../../helpers/recorded-answers.ts';
import { codeDigest } from '../../../helpers/reference-sources.ts';
import { fillOddInventory } from './odd-inventory.ts';
import { QueryGenerator } from './query-generator.ts';

const COUNT = 1500;
const PUPPETDB = process.env.TEST_PUPPETDB;
const PATH = '/pdb/query/v4';

const data = ['odd-inventory.ts', '../../http/routes/inventory/inventory-data.ts'];
const answers = new RecordedAnswers({
  name: 'inventory-queries',
  test: import.meta.filename,
  sources: () => Object.fromEntries(data.map((file) => [file, codeDigest(join(import.meta.dirname, file))])),
  mode: PUPPETDB === undefined ? 'play' : process.env.UPDATE_FIXTURES === '1' ? 'record' : 'live',
});

let world: InventoryWorld;
beforeAll(async () => {
  world = await openInventoryWorld();
  await fillOddInventory(world.apply);
  if (PUPPETDB !== undefined) await fillOddInventory(sendTo(PUPPETDB));
}, 120_000);
afterAll(async () => {
  await world.remove();
  answers.finish();
});

/** Sends commands to a PuppetDB, one after the other. */
function sendTo(address: string): InventoryWorld['apply'] {
  return async (command, version, payload) => {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const { certname } = JSON.parse(body);
    const parameters = new URLSearchParams({
      command: command.replaceAll(' ', '_'),
      version: String(version),
      certname,
      secondsToWaitForCompletion: '30',
    });
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
    const response = await fetch(`${address}/pdb/cmd/v1?${parameters}`, init);
    expect({ command, status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
  };
}

/** The rows of an answer in an order of their own, or that it is an error. */
function rowsOf(status: number, text: string): unknown {
  // PuppetDB ends an answer that has begun when it finds the error late.
  if (status !== 200 || !text.trimEnd().endsWith(']')) return 'an error';
  const rows: readonly Readonly<Record<string, unknown>>[] = JSON.parse(text);
  return rows.map(sortKeys).sort();
}

function sortKeys(row: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(row).sort()));
}

async function askHere(query: Ast): Promise<unknown> {
  const { status, text } = await world.send({ path: PATH, parameters: { query: writeJson(query) } });
  return rowsOf(status, text);
}

/** PuppetDB may close a connection that another answer came through: one more try tells. */
async function askPuppetdb(query: Ast, tries = 2): Promise<unknown> {
  try {
    const response = await fetch(`${PUPPETDB}${PATH}?${new URLSearchParams({ query: writeJson(query) })}`);
    return rowsOf(response.status, await response.text());
  } catch {
    return tries > 1 ? askPuppetdb(query, tries - 1) : 'an error';
  }
}

it('gives what PuppetDB gives', async () => {
  const generator = new QueryGenerator(7);
  const differing: unknown[] = [];
  let found = 0;
  for (let index = 0; index < COUNT; index++) {
    const query = generator.next();
    const theirs = await answers.fetch(query, () => askPuppetdb(query));
    const ours = await askHere(query);
    if (Array.isArray(theirs) && theirs.length > 0) found += 1;
    if (JSON.stringify(ours) !== JSON.stringify(theirs)) differing.push({ query: printAst(query), ours, theirs });
  }
  expect(differing).toEqual([]);
  // Queries that find nothing, or nothing but errors, would show little.
  expect(found).toBeGreaterThan(COUNT / 3);
}, 300_000);
