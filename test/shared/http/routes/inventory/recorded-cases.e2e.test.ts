import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { startInventoryServer } from '../../../../../shared/http/listener/inventory-server.ts';
import { answerInventory } from '../../../../../shared/http/routes/inventory/inventory-app.ts';
import { applyCommand } from '../../../../../shared/inventory/commands/apply-command.ts';
import { CommandQueue } from '../../../../../shared/inventory/commands/command-queue.ts';
import type { PgliteDatabase } from '../../../../../shared/inventory/database/pglite-database.ts';
import { InventoryReader } from '../../../../../shared/inventory/query/inventory-reader.ts';
import { systemClock } from '../../../../../shared/store/system-clock.ts';
import { digestSha256 } from '../../../../../shared/util/digest.ts';
import { openFilledDatabase } from '../../../../helpers/inventory-database.ts';
import { BESIDE, isBeside } from '../../../../helpers/material-beside.ts';

/** Every sixth case, as all cost 20 s of CPU. */
const STEP = 6;
const RECEIVED = '2026-11-22T00:00:00.000Z';
/** Cases that differ from PuppetDB on purpose: docs/inventory.md gives the reasons. */
const DIFFERING = ['root-595370d11987'];
/** Cases that PuppetDB fails on, and that are answered here. */
const ANSWERED = ['pql-grammar-78544ebcaf09', 'pql-grammar-fdb5d5480b44', 'resources-bc64de4adeb1'];

const linesOf = (file: string): readonly string[] =>
  gunzipSync(readFileSync(join(BESIDE.inventoryCases, file)))
    .toString('utf8')
    .trim()
    .split('\n');

/** The digest of the data and of the code that stores it. */
function keyOf(commands: readonly string[]): string {
  const folder = new URL('../../../../../shared/inventory/commands/', import.meta.url);
  const code = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
  return digestSha256([...commands, ...code].join('\n'));
}

async function fill(database: PgliteDatabase, commands: readonly string[]): Promise<void> {
  for (const line of commands) {
    const { command, version, certname, payload } = JSON.parse(line);
    // The payload's own text keeps the digits of its numbers.
    const text = line.slice(line.indexOf('"payload":') + '"payload":'.length, -1);
    const one = { command, version, certname, payload: payload === null ? '{}' : text };
    await database.transaction((connection) => applyCommand(connection, one, { received: RECEIVED, blockedFacts: [] }));
  }
}

it.skipIf(!isBeside('inventoryCases'))(
  'answers recorded requests as PuppetDB does',
  async () => {
    const commands = linesOf('dataset/commands-common.jsonl.gz');
    const { database, remove } = await openFilledDatabase(keyOf(commands), (empty) => fill(empty, commands));
    const services = {
      reader: new InventoryReader(database, { timeMs: 60_000, rows: 1_000_000, megabytes: 64 }),
      queue: new CommandQueue({ database, clock: systemClock, onTrouble: () => undefined }),
      clock: systemClock,
      reportFault: (error: unknown) => expect.fail(String(error)),
    };
    const answer = (request: Parameters<typeof answerInventory>[0]) => answerInventory(request, services);
    const server = await startInventoryServer({
      answer,
      host: '127.0.0.1',
      port: 0,
      clock: systemClock,
      reportFailure: () => undefined,
    });
    const folder = mkdtempSync(join(tmpdir(), 'understudy-cases-'));
    try {
      // Commands change the data of other cases.
      const cases = linesOf('cases-dev.jsonl.gz').filter((line) => !line.includes('/pdb/cmd/v1'));
      writeFileSync(join(folder, 'cases.jsonl'), cases.filter((_, index) => index % STEP === 0).join('\n'));
      const address = `http://127.0.0.1:${server.port}`;
      const grader = join(BESIDE.inventoryCases, 'grade.py');
      await promisify(execFile)('python3', [
        grader,
        'check',
        address,
        join(folder, 'cases.jsonl'),
        '--out',
        join(folder, 'out'),
      ]);
      const results = readFileSync(join(folder, 'out'), 'utf8').trim().split('\n');
      expect(results.length).toBeGreaterThan(400);
      const failed = results.map((line) => JSON.parse(line)).filter(({ ok }) => !ok);
      expect(failed.filter(({ id }) => ![...DIFFERING, ...ANSWERED].includes(id))).toEqual([]);
    } finally {
      await server.close(0);
      await remove();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  300_000,
);
