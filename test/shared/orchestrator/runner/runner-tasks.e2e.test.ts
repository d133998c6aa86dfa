import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRuby, type RunnerProcess } from './runner-process.ts';
import { type Answer, RunnerWorld, type Values } from './runner-world.ts';

const NODE = 'web01.example.com';
const DOUBTFUL = 'web02.example.com';
const SECRET = 'correct horse battery staple';
const MOST_BYTES = 1_000_000;

describe.skipIf(!hasRuby())('the runner runs tasks', () => {
  let world: RunnerWorld;
  let runner: RunnerProcess;
  /** Tasks whose files cannot be had, which is known after 15 seconds. */
  let late: readonly [changed: Promise<Answer>, untrusted: Promise<Answer>];

  beforeAll(async () => {
    world = await RunnerWorld.create();
    const broker = await world.startBroker();
    runner = (await world.addRunner(NODE, [broker], { 'max-message-size': MOST_BYTES })).start({ LC_ALL: 'C' });
    const stranger = await world.startBroker(undefined, world.stranger);
    const doubtful = { 'primary-uris': [`https://localhost:${stranger.port}`] };
    (await world.addRunner(DOUBTFUL, [broker], doubtful)).start();
    for (const name of [NODE, DOUBTFUL]) await world.waitFor(name);
    const begin = (node: string, sha256?: string) => {
      const files = [world.serve('changed.sh', '#!/bin/sh\n', sha256)];
      return world.run(node, 'task run', { task: 'demo::changed', input: {}, files });
    };
    late = [begin(NODE, '0'.repeat(64)), begin(DOUBTFUL)];
  });
  afterAll(() => world.close());

  /** Runs a program of `text` as a task. */
  function runTask(text: string, more: Values = {}, filename = 'program.sh'): Promise<Answer> {
    return world.run(NODE, 'task run', {
      task: 'demo::program',
      input: {},
      files: [world.serve(filename, text)],
      ...more,
    });
  }

  const failed = (reason: string, { data }: Answer) =>
    `Failed to execute the task for the non-blocking 'task run' request (transaction ${data.transaction_id}). Error: ${reason}`;

  const INPUT = { text: 'é "x" $HOME', list: [1, { a: null }], count: 7, _noop: true };
  const JSON_INPUT = JSON.stringify({ ...INPUT, _task: 'demo::program' });
  const VARIABLES = [
    'PT__noop=true',
    'PT__task=demo::program',
    'PT_count=7',
    'PT_list=[1,{"a":null}]',
    'PT_text=é "x" $HOME',
  ];
  const SHOW = '#!/bin/sh\ncat\necho\nenv | grep ^PT_ | LC_ALL=C sort\n';

  it.each<[string, Values, string, string]>([
    ['both by default', {}, JSON_INPUT, `${VARIABLES.join('\n')}\n`],
    ['stdin', { metadata: { input_method: 'stdin' } }, JSON_INPUT, ''],
    ['environment', { metadata: { input_method: 'environment' } }, '', `${VARIABLES.join('\n')}\n`],
    ['the one of the request', { input_method: 'stdin' }, JSON_INPUT, ''],
  ])('with their input: %s', async (_, more, stdin, variables) => {
    const { data } = await runTask(SHOW, { input: INPUT, ...more });
    expect(data.results).toEqual({ exitcode: 0, stdout: `${stdin}\n${variables}` });
  });

  it('and refuses other input methods', async () => {
    const answer = await runTask(SHOW, { metadata: { input_method: 'telepathy' } });
    expect(answer.data.description).toBe(failed('unsupported task input method: telepathy', answer));
  });

  it.each<[string, readonly Values[], string | RegExp]>([
    [
      'the first that fits',
      [
        { name: 'a.ps1', requirements: ['powershell'] },
        { name: 'b.sh', requirements: ['shell'] },
      ],
      'b\n',
    ],
    ['one without requirements', [{ name: 'c.sh' }, { name: 'b.sh', requirements: ['shell'] }], 'c\n'],
    ['a feature of the request', [{ name: 'c.sh', requirements: ['special', 'puppet-agent'] }], 'c\n'],
    [
      'none',
      [{ name: 'a.ps1', requirements: ['powershell'] }],
      /no implementations match supported features: puppet-agent, shell, special$/,
    ],
    ['a missing one', [{ name: 'd.sh' }], /'d.sh' file requested by implementation not found$/],
  ])('by implementations: %s', async (_, implementations, expected) => {
    const files = ['a.ps1', 'b.sh', 'c.sh'].map((name) => world.serve(name, `#!/bin/sh\necho ${name[0]}\n`));
    const metadata = { implementations, features: ['special'] };
    const { data } = await world.run(NODE, 'task run', { task: 'demo::many', input: {}, files, metadata });
    if (typeof expected === 'string') expect(data.results).toEqual({ exitcode: 0, stdout: expected });
    else expect(data.description).toMatch(expected);
  });

  it.each<[string, string, Values]>([
    [
      'texts and an exit code',
      '#!/bin/sh\necho partial\necho oops >&2\nexit 3\n',
      { exitcode: 3, stdout: 'partial\n', stderr: 'oops\n' },
    ],
    ['the output of sh, which runs what names no interpreter', 'echo plain\n', { exitcode: 0, stdout: 'plain\n' }],
    ['the number of the signal that killed it', '#!/bin/sh\nkill -9 $$\n', { exitcode: 9 }],
    [
      'an interpreter that is not there',
      '#!/no/such/interpreter\n',
      { exitcode: 127, stderr: expect.stringContaining('failed to run: No such file or directory') },
    ],
    ['texts in UTF-8', '#!/bin/sh\nprintf "\\303\\251 \\342\\234\\223"\n', { exitcode: 0, stdout: 'é ✓' }],
    ['bytes on stderr', '#!/bin/sh\nprintf "a\\377b" >&2\n', { exitcode: 0, stderr: 'a\ufffdb' }],
  ])('that end with %s', async (_, text, results) => {
    expect((await runTask(text)).data.results).toEqual(results);
  });

  it.each([
    ['bytes that are no UTF-8', '\\377\\376'],
    ['a NUL', 'a\\000b'],
  ])('and refuses as output: %s', async (_, bytes) => {
    const { type, data } = await runTask(`#!/bin/sh\nprintf '${bytes}'\n`);
    const label = `non-blocking 'task run' request (transaction ${data.transaction_id})`;
    expect([type, data.description]).toEqual([
      'rpc_error_message',
      `The task executed for the ${label} returned invalid UTF-8 on stdout`,
    ]);
    const status = await world.status(NODE, String(data.transaction_id));
    expect(status).toMatchObject({
      status: 'failure',
      exitcode: 0,
      stdout: expect.stringContaining('invalid UTF-8'),
    });
  });

  it('with as much output as a message may have, and no more', async () => {
    const fits = await runTask(`#!/bin/sh\nhead -c ${MOST_BYTES - 500} /dev/zero | tr '\\0' x\n`);
    expect(fits.data.results).toEqual({ exitcode: 0, stdout: 'x'.repeat(MOST_BYTES - 500) });
    const { type, data } = await runTask(`#!/bin/sh\nhead -c ${3 * MOST_BYTES} /dev/zero | tr '\\0' x\n`);
    const text = `Message size: ${3 * MOST_BYTES} exceeded max-message-size ${MOST_BYTES}`;
    expect([type, data.description]).toEqual(['rpc_error_message', text]);
    const answer = await world.ask(NODE, 'status query', { transaction_id: data.transaction_id });
    expect([answer.type, answer.data.description]).toEqual(['rpc_error_message', text]);
    // The disk has what a message may have.
    expect(lstatSync(join(runner.spool, String(data.transaction_id), 'stdout')).size).toBe(MOST_BYTES);
  });

  it('that do not read their input', async () => {
    const { data } = await runTask('#!/bin/sh\necho done\n', {
      input: { text: 'x'.repeat(500_000) },
      metadata: { input_method: 'stdin' },
    });
    expect(data.results).toEqual({ exitcode: 0, stdout: 'done\n' });
  });

  it('with files beside them, which go afterwards', async () => {
    const files = [
      world.serve(
        'main.sh',
        '#!/bin/sh\ncd "$PT__installdir"; find . -type f | LC_ALL=C sort; cat lib/files/a.txt; echo; pwd\n',
      ),
      ...['lib/files/a.txt', 'lib/files/deep/b c.txt', 'other/lib/é.rb'].map((name) =>
        world.serve(name, `I am ${name}`),
      ),
    ];
    const metadata = { files: ['lib/files/'], implementations: [{ name: 'main.sh', files: ['other/lib/é.rb'] }] };
    const { data } = await world.run(NODE, 'task run', { task: 'demo::files', input: {}, files, metadata });
    const lines = String(data.results?.stdout).trim().split('\n');
    expect(lines.slice(0, 5)).toEqual([
      ...['./demo/tasks/main.sh', './lib/files/a.txt', './lib/files/deep/b c.txt', './other/lib/é.rb'],
      'I am lib/files/a.txt',
    ]);
    expect(lines[5]).toContain(`${runner.spool}/${data.transaction_id}/temp_task_`);
    expect(existsSync(String(lines[5]))).toBe(false);
  });

  it('and names a file that is missing', async () => {
    const answer = await runTask('#!/bin/sh\n', { metadata: { files: ['lib/files/x.py'] } });
    expect(answer.data.description).toBe(
      failed("'lib/files/x.py' file requested as additional task dependency not found", answer),
    );
  });

  it.each(['../../escaped', '/escaped', 'a/../../escaped', 'a//b', 'a/./b'])('and puts no file at %s', async (name) => {
    const files = [world.serve('safe.sh', '#!/bin/sh\n'), { ...world.serve('extra.txt', 'extra'), filename: name }];
    const answer = await world.run(NODE, 'task run', {
      task: 'demo::bad',
      input: {},
      files,
      metadata: { files: [name] },
    });
    expect(answer.data.description).toBe(failed(`Invalid filename: "${name}"`, answer));
  });

  it('and takes the last part of the name of a program', async () => {
    const file = { ...world.serve('named.sh', '#!/bin/sh\necho $0\n'), filename: '../../named.sh' };
    const { data } = await world.run(NODE, 'task run', { task: 'demo::named', input: {}, files: [file] });
    expect(data.results?.stdout).toBe(`${join(runner.folder, 'cache', file.sha256, 'named.sh')}\n`);
  });

  it('and looks at names of modules and at digests', async () => {
    const file = world.serve('ok.sh', '#!/bin/sh\n');
    const extra = world.serve('m/files/x', 'x');
    const bad = await world.run(NODE, 'task run', {
      task: '../up',
      input: {},
      files: [file, extra],
      metadata: { files: ['m/files/x'] },
    });
    expect(bad.data.description).toBe(failed('Invalid filename: "../up/tasks/ok.sh"', bad));
    const digest = await world.run(NODE, 'task run', {
      task: 'a',
      input: {},
      files: [{ ...file, sha256: '../../x' }],
    });
    expect(digest.data.description).toBe(failed('Invalid sha256: "../../x"', digest));
  });

  it('from its cache, which it checks', async () => {
    const text = '#!/bin/sh\necho cached\n';
    const run = () => runTask(text, {}, 'cached.sh');
    const count = () =>
      world.fetched.filter((line) => line === `${NODE} /files/cached.sh?environment=production`).length;
    expect((await run()).data.results).toEqual({ exitcode: 0, stdout: 'cached\n' });
    await run();
    expect(count()).toBe(1);
    const path = join(runner.folder, 'cache', world.serve('cached.sh', text).sha256, 'cached.sh');
    writeFileSync(path, '#!/bin/sh\necho planted\n');
    expect((await run()).data.results).toEqual({ exitcode: 0, stdout: 'cached\n' });
    expect(count()).toBe(2);
    expect(lstatSync(path).mode & 0o777).toBe(0o700);
  });

  it('and keeps their parameters out of its files', async () => {
    await runTask('#!/bin/sh\ncat >/dev/null\n', { input: { password: SECRET } });
    const names = readdirSync(runner.folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const texts = names.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
    expect(texts.filter((text) => text.includes(SECRET))).toEqual([]);
    const spool = readdirSync(runner.spool, { recursive: true, withFileTypes: true });
    const modes = spool.map((entry) => lstatSync(join(entry.parentPath, entry.name)).mode & 0o077);
    expect(new Set(modes)).toEqual(new Set([0]));
  });

  it('and gives a file up whose digest differs, after five attempts', async () => {
    const answer = await late[0];
    const reason =
      'Failed to download file with: The downloaded file "changed.sh" has a SHA that differs from the provided SHA';
    expect(answer.data.description).toBe(failed(reason, answer));
    expect(world.fetched.filter((line) => line.includes('changed.sh'))).toHaveLength(5);
    expect(readdirSync(join(runner.folder, 'cache', '0'.repeat(64)))).toEqual([]);
  });

  it('and takes no file of a server of another authority', async () => {
    const { data } = await late[1];
    expect(data.description).toContain(
      'Downloading file "changed.sh" failed after trying all the available master-uris.',
    );
    expect(data.description).toContain('certificate verify failed');
  });

  it('wrote no warning of Ruby', () => {
    expect(runner.errors).toBe('');
  });
});
