import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, expect, it } from 'vitest';
import { CommandError } from '../../../../shared/cli/commands/node-files.ts';
import { addNotifyCommands } from '../../../../shared/cli/commands/notify-commands.ts';
import { NotifyBook } from '../../../../shared/orchestrator/notify/notify-book.ts';
import { NEW_ROLLOUT, RolloutStore } from '../../../../shared/orchestrator/notify/rollout-state.ts';
import { openEmbeddedStores } from '../../../../shared/store/embedded/stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-notify-'));
const data = join(folder, 'data');
mkdirSync(data);
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride();
  addNotifyCommands(program, async (text) => void printed.push(text), {});
  await program.parseAsync(['notify', ...args, '--data', data], { from: 'user' });
  return printed.join('');
}

it('shows what waits, and lets a rollout go on', async () => {
  expect(await run('show')).toBe('0 due, 0 later, 0 not connected, 0 not notified\n');
  const { documents, close } = openEmbeddedStores(data);
  const [book, rollouts] = [new NotifyBook(documents), new RolloutStore(documents)];
  const lane = 'production|paced|22:00-05:00';
  const node = { certname: 'a.example.com', compiledAt: 1, dueAt: 1, tries: 5 };
  const at = Date.UTC(2026, 10, 23);
  await book.addDue(lane, { ...node, certname: 'b.example.com' });
  await book.bury({ lane, node, reason: 'Puppet agent is disabled', at });
  const paused = { job: 7, codeId: null, at, reason: 'c.example.com did worse', nodes: ['c.example.com'] };
  await rollouts.put(lane, { ...NEW_ROLLOUT, paused });
  expect(await run('show')).toBe(
    'production (paced, 22:00-05:00): paused since 2026-11-23T00:00:00Z by job 7: c.example.com did worse\n' +
      '1 due, 0 later, 0 not connected, 1 not notified\n' +
      'not notified: a.example.com, given up at 2026-11-23T00:00:00Z: Puppet agent is disabled\n',
  );
  expect(JSON.parse(await run('show', '-o', 'json'))).toEqual({
    rollouts: [
      {
        ...{ environment: 'production', notify: 'paced', window: '22:00-05:00', jobs: [] },
        paused: { job: 7, since: '2026-11-23T00:00:00Z', reason: 'c.example.com did worse' },
      },
    ],
    counts: { due: 1, later: 0, parked: 0, dead: 1 },
    not_notified: [{ certname: 'a.example.com', given_up: '2026-11-23T00:00:00Z', reason: 'Puppet agent is disabled' }],
  });
  expect(await run('resume', '7')).toBe('the rollout of job 7 goes on\n');
  expect(await rollouts.isToResume(lane, 7)).toBe(true);
  close();
});

it('refuses what is not there', async () => {
  await expect(run('resume', '9')).rejects.toThrow(new CommandError('no rollout is paused by job 9'));
  await expect(run('resume', 'x')).rejects.toThrow('It must be the number of a job.');
});
