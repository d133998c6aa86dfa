import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, expect, it } from 'vitest';
import { CommandError } from '../../../../../shared/cli/commands/node-files.ts';
import { addLetterCommands } from '../../../../../shared/cli/commands/orchestrator/letter-commands.ts';
import { keepDeadLetter, listDeadLetters } from '../../../../../shared/inventory/forward/dead-letters.ts';
import { NotifyBook } from '../../../../../shared/orchestrator/notify/notify-book.ts';
import { openEmbeddedStores } from '../../../../../shared/store/embedded/stores.ts';

const data = join(mkdtempSync(join(tmpdir(), 'understudy-letters-')), 'data');
mkdirSync(data);
afterAll(() => rmSync(join(data, '..'), { recursive: true }));

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride();
  addLetterCommands(program, async (text) => void printed.push(text), {});
  await program.parseAsync(['dead-letters', ...args, '--data', data], { from: 'user' });
  return printed.join('');
}

it('lists dead letters of all queues, and has them tried again', async () => {
  expect(await run('list')).toBe('There are no dead letters.\n');
  const { documents, queue, close } = openEmbeddedStores(data, { maxReceives: 1 });
  const common = { reason: 'status 400', at: Date.UTC(2026, 10, 20) };
  const report = { receivedAt: 1, transactionUuid: 'u-1' };
  const store = { target: 'report-url', certname: 'b.test', command: 'store report', report } as const;
  await keepDeadLetter({ ...store, ...common }, documents);
  const node = { certname: 'a.test', compiledAt: 1, dueAt: 1, tries: 5 };
  await new NotifyBook(documents).bury({ lane: 'production|paced|any', node, reason: 'disabled', at: common.at + 1 });
  await queue.send('express', [{ certname: 'b.test', generation: 1, reason: 'fact x changed', at: 5 }]);
  for (const job of await queue.receive(1, 0)) await queue.retryAfter(job, 0);
  expect(await queue.receive(1, 0)).toEqual([]);

  const letter = { again: null, cause: null, transaction: null };
  const listed = JSON.parse(await run('list', '--format', 'json'));
  expect(listed).toEqual([
    {
      ...letter,
      given_up: '2026-11-20T00:00:00.001Z',
      queue: 'notify',
      certname: 'a.test',
      what: 'run',
      reason: 'disabled',
      id: 'a.test',
    },
    {
      ...letter,
      given_up: '2026-11-20T00:00:00.000Z',
      queue: 'report-url',
      certname: 'b.test',
      what: 'report',
      reason: 'status 400',
      transaction: 'u-1',
      id: expect.stringContaining('b.test store report'),
    },
    {
      ...letter,
      given_up: '1970-01-01T00:00:00.005Z',
      queue: 'compile',
      certname: 'b.test',
      what: 'catalog',
      reason: 'its worker ended before it could say why: it ran out of time or memory',
      cause: 'fact x changed',
      id: expect.stringMatching(/^\d+$/),
    },
  ]);
  expect(JSON.parse(await run('list', '--queue', 'notify', '--format', 'json'))).toEqual([listed[0]]);
  expect(await run('redrive', '--queue', 'compile', '--id', listed[2].id)).toBe('1 dead letter is tried again\n');
  expect(await run('redrive', '--certname', 'a.test')).toBe('1 dead letter is tried again\n');
  expect(await run('redrive')).toBe('1 dead letter is tried again\n');
  expect(await run('redrive')).toBe('0 dead letters are tried again\n');
  expect((await queue.getDepth()).express.visible).toBe(1);
  expect((await listDeadLetters('report-url', documents)).map((one) => one.isDue)).toEqual([true]);
  close();
});

it('refuses an id that is none', async () => {
  await expect(run('redrive', '--id', '7')).rejects.toThrow(new CommandError('--id needs --queue'));
  await expect(run('redrive', '--queue', 'compile', '--id', '7')).rejects.toThrow(
    new CommandError('compile has no dead letter 7 to redrive'),
  );
});
