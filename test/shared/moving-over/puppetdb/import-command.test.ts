import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { addImportCommand } from '../../../../shared/moving-over/puppetdb/import-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-import-'));
const stateFile = join(folder, 'state.json');
/** Both PuppetDBs: it has two nodes with facts, and takes commands but those of a node. */
const commands: string[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => {
    body += piece;
  });
  request.on('end', () => {
    const [path, search] = (request.url ?? '').split('?');
    if (path === '/pdb/cmd/v1') {
      const certname = new URLSearchParams(search).get('certname') ?? '';
      commands.push(certname);
      const isBad = certname === 'bad.test';
      response.writeHead(isBad ? 400 : 200).end(isBad ? '{"error":"it is wrong"}' : '{"uuid":"u"}');
      return;
    }
    const certname = /"certname","([^"]+)"/.exec(body)?.[1];
    const facts = [{ certname, producer_timestamp: '2026-11-05T00:00:00Z', facts: { data: [] } }];
    const rows = path === '/pdb/query/v4' ? NODES : path === '/pdb/query/v4/factsets' ? facts : [];
    response.writeHead(200).end(JSON.stringify(rows));
  });
});
const NODES = [{ certname: 'good.test' }, { certname: 'bad.test' }];
let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  commands.length = 0;
  rmSync(stateFile, { force: true });
});

async function run(
  ...args: readonly string[]
): Promise<{ out: string; warnings: string[]; code: number; error: string }> {
  const result = { out: '', warnings: [] as string[], code: 0, error: '' };
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addImportCommand(program, {
    print: async (text) => {
      result.out += text;
    },
    warn: (line) => result.warnings.push(line),
    exit: (code) => {
      result.code = code;
    },
    sleep: async () => undefined,
    folders: { home: folder, global: folder },
  });
  const given = ['import', 'puppetdb', ...args, '--state-file', stateFile];
  await program.parseAsync(given, { from: 'user' }).catch((error: unknown) => {
    result.error = error instanceof Error ? error.message : String(error);
  });
  return result;
}

it('says what was rejected, and keeps its state', async () => {
  expect(await run(url, '--to', url)).toEqual({
    out: 'imported 2 nodes with 1 document, 1 rejected\n',
    warnings: ["'replace facts' of bad.test was rejected: it is wrong"],
    code: 1,
    error: '',
  });
  expect(JSON.parse(readFileSync(stateFile, 'utf8'))).toEqual({
    source: url,
    target: url,
    after: 'good.test',
    nodes: 2,
    commands: 1,
  });
  expect(existsSync(`${stateFile}.new`)).toBe(false);
});

it('continues where it was', async () => {
  writeFileSync(stateFile, JSON.stringify({ source: url, target: url, after: 'bad.test', nodes: 1, commands: 3 }));
  expect((await run(url, '--to', url)).out).toBe('continuing after bad.test\nimported 2 nodes with 4 documents\n');
  expect(commands).toEqual(['good.test']);
});

it.each<[string, string, RegExp]>([
  [
    'of another import',
    '{"source":"x","target":"y","after":"a"}',
    /is the state of an import from x to y: name another --state-file, or delete it$/,
  ],
  ['that is none', '{"a":1}', /^'.*state\.json' is not the state of an import$/],
  ['that is no JSON', '{', /^'.*state\.json' cannot be read as the state of an import: /],
])('refuses a state file %s', async (_, text, message) => {
  writeFileSync(stateFile, text);
  expect((await run(url, '--to', url)).error).toMatch(message);
  expect(commands).toEqual([]);
});

it('refuses what is no address', async () => {
  expect((await run('localhost', '--to', url)).error).toBe(
    "'localhost' is not an address of an inventory, such as https://HOST:8081",
  );
});
