import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, expect, it } from 'vitest';
import { addReportCommands } from '../../../../shared/cli/commands/report-commands.ts';
import { keepReportLetter, listReportLetters } from '../../../../shared/inventory/forward/report-letters.ts';
import { openEmbeddedStores } from '../../../../shared/store/embedded/stores.ts';

const data = join(mkdtempSync(join(tmpdir(), 'understudy-letters-')), 'data');
mkdirSync(data);
afterAll(() => rmSync(join(data, '..'), { recursive: true }));

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride();
  addReportCommands(program, async (text) => void printed.push(text), {});
  await program.parseAsync(['report', 'dead-letters', ...args, '--data', data], { from: 'user' });
  return printed.join('');
}

it('lists reports that were not taken, and has them sent again', async () => {
  expect(await run()).toBe('Every report was taken.\n');
  const { documents, close } = openEmbeddedStores(data);
  const common = { receivedAt: Date.UTC(2026, 10, 20), status: 'changed', environment: null, time: null };
  const more = { puppetVersion: null, noop: false, blob: null };
  for (const certname of ['a.test', 'b.test']) {
    const summary = { ...common, ...more, certname, transactionUuid: `u-${certname}` };
    await keepReportLetter(summary, 'https://x answered with status 400', 1, documents);
  }
  expect(JSON.parse(await run('--certname', 'b.test', '--format', 'json'))).toEqual([
    {
      received: '2026-11-20T00:00:00.000Z',
      certname: 'b.test',
      transaction: 'u-b.test',
      again: null,
      reason: 'https://x answered with status 400',
    },
  ]);
  expect(await run('--certname', 'b.test', '--retry')).toBe('1 report is sent again\n');
  const due = (await listReportLetters(documents)).map(({ certname, isDue }) => [certname, isDue]);
  expect(due).toEqual([
    ['a.test', false],
    ['b.test', true],
  ]);
  close();
});
