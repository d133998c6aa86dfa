import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatRows } from '../../../../../shared/cli/client/row-formats.ts';
import { addQueryCommand } from '../../../../../shared/cli/commands/inventory/query-command.ts';
import type { EdgeServer } from '../../../../../shared/http/listener/edge-server.ts';
import { startInventoryServer } from '../../../../../shared/http/listener/inventory-server.ts';
import { answerInventory } from '../../../../../shared/http/routes/inventory/inventory-app.ts';
import { systemClock } from '../../../../../shared/store/system-clock.ts';
import { type InventoryWorld, openInventoryWorld } from '../../../../helpers/inventory-world.ts';
import { fillInventory } from '../../../http/routes/inventory/inventory-data.ts';

const home = mkdtempSync(join(tmpdir(), 'understudy-query-'));
let world: InventoryWorld;
let server: EdgeServer;

beforeAll(async () => {
  world = await openInventoryWorld();
  await fillInventory(world);
  const answer = (request: Parameters<typeof answerInventory>[0]) => answerInventory(request, world.services);
  server = await startInventoryServer({
    answer,
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    reportFailure: () => {},
  });
  const folder = join(home, '.puppetlabs/client-tools');
  mkdirSync(folder, { recursive: true });
  const configuration = { puppetdb: { server_urls: [`http://127.0.0.1:${server.port}`] } };
  writeFileSync(join(folder, 'puppetdb.conf'), JSON.stringify(configuration));
});
afterAll(async () => {
  rmSync(home, { recursive: true });
  await server.close(0);
  await world.remove();
});

async function run(...args: readonly string[]): Promise<string> {
  let printed = '';
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  const print = async (text: string) => {
    printed += text;
  };
  addQueryCommand(program, { print, folders: { home, global: join(home, 'none') } });
  try {
    await program.parseAsync(['query', ...args], { from: 'user' });
    return printed;
  } catch (error) {
    return `${error instanceof Error ? `${error.name}: ${error.message}` : error}`;
  }
}

const FACTS = 'facts[certname, name, value] { name in ["size", "list"] order by certname, name }';

describe('understudy query', () => {
  it.each<[string, readonly string[], string]>([
    [
      'JSON',
      ['nodes[certname] { order by certname }'],
      '[\n  {"certname":"alpha.test"},\n  {"certname":"beta.test"}\n]\n',
    ],
    ['JSON without rows', ['nodes[certname] { certname = "x" }'], '[]\n'],
    ['an AST', ['["from","nodes",["extract",[["function","count"]]]]'], '[\n  {"count":2}\n]\n'],
    [
      'a table',
      [FACTS, '--format', 'text'],
      'certname    name  value\n----------  ----  --------------\nalpha.test  list  ["red","blue"]\nalpha.test  size  4\nbeta.test   size  4\n',
    ],
    [
      'CSV',
      [FACTS, '--format', 'csv'],
      'certname,name,value\r\nalpha.test,list,"[""red"",""blue""]"\r\nalpha.test,size,4\r\nbeta.test,size,4\r\n',
    ],
    ['a table without rows', ['nodes { certname = "x" }', '--format', 'text'], ''],
  ])('prints %s', async (_, args, expected) => {
    expect(await run(...args)).toBe(expected);
  });

  it('reads the query from a file', async () => {
    writeFileSync(join(home, 'query.pql'), 'nodes[certname] {\n  certname ~ "^a"\n}\n');
    expect(await run(`@${join(home, 'query.pql')}`)).toBe('[\n  {"certname":"alpha.test"}\n]\n');
  });

  it.each<[string, readonly string[], RegExp]>([
    [
      'the place of an error',
      ['nodes[certname] { certname == "a" }'],
      /^ClientError: PQL parse error at line 1, column 29:\n\nnodes\[certname\] \{ certname == "a" \}\n {28}\^\n/,
    ],
    [
      'an unknown field',
      ['nodes[x] {}'],
      /^ClientError: Can't extract unknown 'nodes' field 'x'\. Acceptable fields are /,
    ],
    ['a format', ['nodes {}', '--format', 'xml'], /^CommanderError: .*Allowed choices are json, text, csv\.$/],
    [
      'an address',
      ['nodes {}', '--service-url', 'ftp://x'],
      /^ClientError: 'ftp:\/\/x' is not an address of an inventory, such as https:\/\/HOST:8081$/,
    ],
    [
      'who does not answer',
      ['nodes {}', '--service-url', 'http://127.0.0.1:1'],
      /^ServiceUnreachable: http:\/\/127\.0\.0\.1:1 cannot be reached: /,
    ],
    [
      'a missing file',
      ['nodes {}', '--service-url', 'https://127.0.0.1:1', '--ca-cert', '/none/ca.pem'],
      /^ClientError: the file '\/none\/ca\.pem' cannot be read: /,
    ],
  ])('tells %s', async (_, args, expected) => {
    expect(await run(...args)).toMatch(expected);
  });
});

it('prints values in one line of a table, whatever they hold', async () => {
  async function* rows(): AsyncGenerator<string> {
    yield '{"a":"x\\ny\\u001b[2J","b":null}';
    yield '"text"';
  }
  let text = '';
  for await (const piece of formatRows(rows(), 'text')) text += piece;
  expect(text).toBe('a        b\n-------  -\nx y [2J\n\n');
});
