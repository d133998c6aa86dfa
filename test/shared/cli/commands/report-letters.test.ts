import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, expect, it } from 'vitest';
import { addReportCommands } from '../../../../shared/cli/commands/report-commands.ts';
import {
  keepDeadLetter,
  type LetterTarget,
  listDeadLetters,
} from '../../../../shared/inventory/forward/dead-letters.ts';
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

it('lists what was not taken, and has it sent again', async () => {
  expect(await run()).toBe('Everything was taken.\n');
  const { documents, close } = openEmbeddedStores(data);
  const common = { reason: 'status 400', at: Date.UTC(2026, 10, 20) };
  const report = { receivedAt: 1, transactionUuid: 'u-1' };
  await keepDeadLetter(
    { target: 'puppetdb', certname: 'a.test', command: 'replace facts', report: null, ...common },
    documents,
  );
  await keepDeadLetter(
    { target: 'report-url', certname: 'b.test', command: 'store report', report, ...common },
    documents,
  );
  const shown = { given_up: '2026-11-20T00:00:00.000Z', again: null, reason: 'status 400' };
  expect(JSON.parse(await run('--format', 'json'))).toEqual([
    { ...shown, target: 'report-url', certname: 'b.test', what: 'report', transaction: 'u-1' },
    { ...shown, target: 'puppetdb', certname: 'a.test', what: 'facts', transaction: null },
  ]);
  expect(await run('--certname', 'b.test', '--retry')).toBe('1 of them is sent again\n');
  const isDue = async (target: LetterTarget) => (await listDeadLetters(target, documents)).map((one) => one.isDue);
  expect([await isDue('report-url'), await isDue('puppetdb')]).toEqual([[true], [false]]);
  close();
});
