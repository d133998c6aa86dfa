import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addFailureCommands } from '../../../../../shared/cli/commands/reports/failure-commands.ts';
import type { FailureGroup } from '../../../../../shared/fleet/failures/failure-group.ts';
import { FAILURES } from '../../../../../shared/fleet/failures/failure-list.ts';
import { openEmbeddedStores } from '../../../../../shared/store/embedded/stores.ts';

const data = join(mkdtempSync(join(tmpdir(), 'understudy-failures-')), 'data');
const AT = Date.UTC(2026, 10, 20);
const RUN: FailureGroup = {
  ...{ id: '0123456789abcdef', kind: 'run', environment: 'production', resource: 'File[/a]', message: 'No space' },
  ...{ lines: [{ file: 'site.pp', line: 3 }], count: 7, nodes: ['a.test', 'b.test'], firstAt: AT, lastAt: AT + 1000 },
  deploy: { codeId: 'c0ffee', previous: 'decade', at: AT - 1000, user: 'ann', isStaged: true },
  closedAt: null,
};
const COMPILE: FailureGroup = {
  ...RUN,
  ...{ id: '0123ffffffffffff', kind: 'compile', resource: null, message: 'no such tier', count: 1, nodes: ['c.test'] },
  ...{ lines: [], deploy: null },
};
const CLOSED: FailureGroup = { ...COMPILE, id: 'ffffffffffffffff', message: 'gone', closedAt: AT };

beforeAll(async () => {
  mkdirSync(data);
  const { documents, close } = openEmbeddedStores(data);
  for (const group of [RUN, COMPILE, CLOSED]) await documents.put(FAILURES, group.id, { ...group });
  await close();
});
afterAll(() => rmSync(join(data, '..'), { recursive: true }));

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride();
  addFailureCommands(program, async (text) => void printed.push(text), {});
  await program.parseAsync(['failures', ...args, '--data', data], { from: 'user' });
  return printed.join('');
}

it.each([
  [[], ['File[/a]: No space', 'no such tier']],
  [['--kind', 'compile'], ['no such tier']],
  [['--closed'], ['gone']],
  [['--certname', 'b.test'], ['File[/a]: No space']],
  [['--environment', 'staging'], []],
])('lists failures: %j', async (args, expected) => {
  const listed = JSON.parse(await run('list', ...args, '--format', 'json'));
  expect(listed.map(({ failure }: { readonly failure: string }) => failure)).toEqual(expected);
});

it('says when there is none', async () => {
  expect(await run('list', '--environment', 'staging')).toBe('There is no such failure.\n');
});

it('shows a failure', async () => {
  expect(await run('show', '01234')).toBe(
    `File[/a]: No space

failure     0123456789ab
kind        run
environment production
first       2026-11-20T00:00:00.000Z
last        2026-11-20T00:00:01.000Z
began with  staged deploy c0ffee by ann, 2026-11-19T23:59:59.000Z
code before decade
code        site.pp:3
nodes       7: a.test, b.test and 5 more
`,
  );
  expect(JSON.parse(await run('show', RUN.id, '--format', 'json'))).toEqual(RUN);
});

it.each([
  ['9', "there is no failure '9'"],
  ['0123', "'0123' begins several ids: 0123456789ab, 0123ffffffff"],
])('refuses %s', async (id, message) => {
  await expect(run('show', id)).rejects.toThrow(message);
});
