import { randomUUID } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync as rmFile,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRuby, type RunnerProcess } from './runner-process.ts';
import { type Answer, CONTROLLER, RunnerWorld, type Values } from './runner-world.ts';

const NODE = 'web01.example.com';
const SECRET = 'correct horse battery staple';
const MOST_BYTES = 1_000_000;

describe.skipIf(!hasRuby())('the runner', () => {
  let world: RunnerWorld;
  let runner: RunnerProcess;
  /** A request whose file has another digest, which takes 15 seconds. */
  let late: Promise<Answer>;

  beforeAll(async () => {
    world = await RunnerWorld.create();
    const broker = await world.startBroker();
    runner = (await world.addRunner(NODE, [broker], { 'max-message-size': MOST_BYTES })).start();
    await world.waitFor(NODE);
    const files = [world.serve('changed.sh', '#!/bin/sh\n', '0'.repeat(64))];
    late = world.run(NODE, 'task run', { task: 'demo::changed', input: {}, files });
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

  describe('as pxp-agent', () => {
    it.each<[string, string, Values, Values]>([
      ['a ping', 'ping ping', { sender_timestamp: '' }, { request_hops: [] }],
      ['an echo', 'echo echo', { argument: 'é "✓"' }, { outcome: 'é "✓"' }],
      [
        'a status query for nothing that ran',
        'status query',
        { transaction_id: 'nothing' },
        {
          transaction_id: 'nothing',
          status: 'unknown',
          stdout: JSON.stringify({
            _error: {
              kind: 'puppetlabs.pxp-agent/execution-error',
              details: {},
              msg: 'found no results directory',
            },
          }),
        },
      ],
      [
        'a command',
        'command run',
        { command: 'echo out; echo err >&2; exit 2' },
        { exitcode: 2, stdout: 'out\n', stderr: 'err\n' },
      ],
      ['a command without output', 'command run', { command: 'true' }, { exitcode: 0 }],
    ])('answers %s', async (_, what, params, results) => {
      const { type, data } = await world.ask(NODE, what, params);
      expect([type, data.results]).toEqual(['rpc_blocking_response', results]);
    });

    it.each<[string, string, Values | undefined, string]>([
      ['an unknown module', 'nope run', {}, 'unknown module: nope'],
      ['an unknown action', 'echo nope', {}, "unknown action 'nope' for module 'echo'"],
      ['missing parameters', 'echo echo', {}, "invalid input for blocking 'echo echo' request (transaction ID)"],
      ['no parameters', 'command run', undefined, "invalid input for blocking 'command run' request (transaction ID)"],
      [
        'a task without files',
        'task run',
        { task: 'a', input: {}, files: [] },
        "invalid input for blocking 'task run' request (transaction ID)",
      ],
      [
        'flags that are no texts',
        'pxp-module-puppet run',
        { flags: [1] },
        "invalid input for blocking 'pxp-module-puppet run' request (transaction ID)",
      ],
    ])('refuses %s', async (_, what, params, description) => {
      const { type, data } = await world.ask(NODE, what, params);
      expect(type).toBe('rpc_error_message');
      expect(data.description).toBe(description.replace('ID', String(data.transaction_id)));
      expect(data.id).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('refuses requests that only block to be done in the background', async () => {
      const { type, data } = await world.run(NODE, 'echo echo', { argument: 'x' });
      expect([type, data.description]).toEqual([
        'rpc_error_message',
        "the module 'echo' supports only blocking PXP requests",
      ]);
    });

    it.each([
      ['invalid data', { module: 'echo' }],
      ['invalid data', { transaction_id: 'x', module: 'echo', action: 'echo', params: [] }],
      ['no data', undefined],
    ])('answers a message with a PCP error: %s', async (text, data) => {
      const before = world.answers.length;
      const id = await world.send(NODE, 'rpc_blocking_request', data);
      await expect
        .poll(() => world.answers.slice(before).find(({ inReplyTo }) => inReplyTo === id)?.type)
        .toBe('error_message');
      const answer = world.answers.find(({ inReplyTo }) => inReplyTo === id);
      expect(String(answer?.data)).toBe(text);
    });

    it('accepts a repeated transaction again, and runs it once', async () => {
      const command = `echo once >> ${join(world.folder, 'runs')}`;
      const transaction = await world.begin(NODE, 'command run', { command });
      await world.begin(NODE, 'command run', { command }, transaction);
      await world.answerOf(transaction);
      await world.begin(NODE, 'command run', { command }, transaction);
      await expect.poll(() => world.countAnswers(transaction, 'rpc_provisional_response')).toBe(3);
      expect(world.countAnswers(transaction, 'rpc_non_blocking_response')).toBe(1);
      expect(world.read('runs')).toBe('once\n');
    });

    it('has the status of what runs and of what ran', async () => {
      const gate = join(world.folder, 'gate');
      const command = `while [ ! -e ${gate} ]; do sleep 0.05; done; echo text; exit 3`;
      const transaction = await world.begin(NODE, 'command run', { command });
      expect(await world.status(NODE, transaction)).toEqual({ transaction_id: transaction, status: 'running' });
      // A request that blocks does not keep it from others.
      expect((await world.ask(NODE, 'ping ping')).type).toBe('rpc_blocking_response');
      writeFileSync(gate, '');
      await world.answerOf(transaction);
      const status = { transaction_id: transaction, exitcode: 3, status: 'failure', stdout: 'text\n' };
      expect(await world.status(NODE, transaction)).toEqual(status);
    });

    it('sends no result that nobody asked for, and has its status', async () => {
      const transaction = randomUUID();
      const request = {
        transaction_id: transaction,
        module: 'command',
        action: 'run',
        params: { command: 'echo quiet' },
      };
      await world.send(NODE, 'rpc_non_blocking_request', { ...request, notify_outcome: false });
      await expect.poll(async () => (await world.status(NODE, transaction)).status).toBe('success');
      expect(world.countAnswers(transaction, 'rpc_non_blocking_response')).toBe(0);
    });
  });

  describe('runs tasks', () => {
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

    it.each(['../../escaped', '/escaped', 'a/../../escaped', 'a//b', 'a/./b'])(
      'and puts no file at %s',
      async (name) => {
        const files = [world.serve('safe.sh', '#!/bin/sh\n'), { ...world.serve('extra.txt', 'extra'), filename: name }];
        const answer = await world.run(NODE, 'task run', {
          task: 'demo::bad',
          input: {},
          files,
          metadata: { files: [name] },
        });
        expect(answer.data.description).toBe(failed(`Invalid filename: "${name}"`, answer));
      },
    );

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
  });

  it('runs a script with arguments', async () => {
    const script = world.serve('script.sh', '#!/bin/sh\nprintf "%s|" "$@"\n');
    const { data } = await world.run(NODE, 'script run', { script, arguments: ['a b', "it's", '$(id)'] });
    expect(data.results).toEqual({ exitcode: 0, stdout: "a b|it's|$(id)|" });
  });

  describe('downloads', () => {
    const entry = (kind: string, destination: string, more: Values = {}) => ({
      ...{ kind, link_source: '', sha256: '', uri: { path: '', params: {} } },
      ...{ destination: join(world.folder, destination), ...more },
    });

    it('files, folders and links', async () => {
      const { uri, sha256 } = world.serve('payload.bin', Buffer.from([0, 1, 255]));
      const files = [
        entry('directory', 'got/deep'),
        entry('file', 'got/deep/payload', { uri, sha256 }),
        entry('symlink', 'got/link', { link_source: 'deep/payload' }),
      ];
      const { data } = await world.run(NODE, 'file download', { files });
      expect(data.results).toEqual({ exitcode: 0, stdout: 'downloaded' });
      expect(readFileSync(join(world.folder, 'got/deep/payload'))).toEqual(Buffer.from([0, 1, 255]));
      expect(readlinkSync(join(world.folder, 'got/link'))).toBe('deep/payload');
    });

    it.each<[string, () => Values, string]>([
      ['a kind that there is not', () => entry('socket', 'x'), 'Not a valid file type! socket'],
      [
        'a folder where a file is',
        () => entry('directory', 'taken'),
        'Destination "FOLDER/taken" already exists and is not a directory!',
      ],
      [
        'a link where a file is',
        () => entry('symlink', 'taken'),
        'Destination "FOLDER/taken" already exists and is not a symlink!',
      ],
      [
        'a relative path',
        () => ({ ...entry('directory', 'x'), destination: 'x/y' }),
        'Destination "x/y" is not an absolute path',
      ],
    ])('no %s', async (_, file, reason) => {
      writeFileSync(join(world.folder, 'taken'), '');
      const { data } = await world.run(NODE, 'file download', { files: [file()] });
      expect(data.description).toMatch(/^Failed to execute the task for the non-blocking 'file download' request/);
      expect(data.description).toContain(`Error: ${reason.replace('FOLDER', world.folder)}`);
    });
  });

  it('does nothing for other agents, and writes only below its spool', async () => {
    const data = { transaction_id: randomUUID(), module: 'command', action: 'run', params: { command: 'true' } };
    await world.send(NODE, 'rpc_blocking_request', data, 'pcp://web02.example.com/agent');
    await expect
      .poll(() => runner.log)
      .toContain('refused a message by pcp://web02.example.com/agent: Message not authorized.');
    for (const transaction of ['../escaped', '.hidden', 'a/b', '']) {
      const answer = await world.run(NODE, 'command run', { command: 'true' }).catch(() => null);
      expect(answer).not.toBeNull();
      await world.begin(NODE, 'command run', { command: 'true' }, transaction);
      const refusal = await world.answerOf(transaction);
      expect(refusal.data.description).toBe(`invalid transaction id: ${JSON.stringify(transaction)}`);
    }
    expect(existsSync(join(runner.folder, 'escaped'))).toBe(false);
  });

  it('takes only message types as they are written', async () => {
    const marker = join(world.folder, 'marker');
    const data = {
      transaction_id: randomUUID(),
      module: 'command',
      action: 'run',
      params: { command: `touch ${marker}` },
    };
    await world.send(NODE, 'RPC_BLOCKING_REQUEST', data, CONTROLLER);
    await world.ask(NODE, 'ping ping');
    expect(existsSync(marker)).toBe(false);
    expect(runner.log).toContain('ignored a message of the type RPC_BLOCKING_REQUEST');
  });

  describe('runs Puppet', () => {
    const NOTHING = {
      time: 'unknown',
      transaction_uuid: 'unknown',
      environment: 'unknown',
      status: 'unknown',
      metrics: {},
      version: 1,
    };
    const REPORT = `--- !ruby/object:Puppet::Transaction::Report
time: '2026-11-22T18:33:21.608975621+00:00'
transaction_uuid: 121387a9-4cdf-46a7-bafe-59a411937ad7
environment: production
status: changed
metrics:
  resources: !ruby/object:Puppet::Util::Metric
    name: resources
    values:
    - - total
      - Total
      - 8
    - - changed
      - Changed
      - 1
`;
    const RESULT = {
      ...{ time: '2026-11-22T18:33:21.608975621+00:00', transaction_uuid: '121387a9-4cdf-46a7-bafe-59a411937ad7' },
      ...{ environment: 'production', status: 'changed', metrics: { total: 8, changed: 1 }, version: 1 },
    };
    const PUPPETED = 'web02.example.com';
    let puppet: string;
    let node: RunnerProcess;
    const at = (name: string) => join(puppet, name);
    const run = (flags: readonly string[], more: Values = {}) =>
      world.ask(PUPPETED, 'pxp-module-puppet run', { flags, ...more });

    beforeAll(async () => {
      puppet = join(world.folder, 'puppet');
      mkdirSync(puppet);
      const program = world.program(
        'puppet.sh',
        `#!/bin/sh
if [ "$1" = config ]; then
  printf 'lastrunreport = %s/report\\nagent_disabled_lockfile = %s/disabled\\nagent_catalog_run_lockfile = %s/lock\\n' ${puppet} ${puppet} ${puppet}
  exit
fi
echo "$@" >> ${puppet}/runs
env > ${puppet}/env
[ ! -e ${puppet}/lock ] && [ ! -e ${puppet}/disabled ] || exit 1
[ ! -e ${puppet}/next ] || { rm -f ${puppet}/report; cp ${puppet}/next ${puppet}/report; }
exit $(cat ${puppet}/exit)
`,
      );
      writeFileSync(at('exit'), '0');
      writeFileSync(at('next'), REPORT);
      const settings = { 'puppet-bin': program, 'controller-uris': ['pcp://localhost/orch*'] };
      node = (await world.addRunner(PUPPETED, world.brokers, settings)).start({ LC_ALL: 'C', HOME: '/nowhere' });
      await world.waitFor(PUPPETED);
    });

    it('with flags and a job', async () => {
      const { data } = await run(
        ['--noop', '--environment', 'staging', '--tags', 'a,b::c', '--no-use_cached_catalog'],
        { job: '42' },
      );
      expect(data.results).toEqual({ ...RESULT, exitcode: 0 });
      const flags =
        '--noop --environment staging --tags a,b::c --no-use_cached_catalog --onetime --no-daemonize --verbose';
      expect(readFileSync(at('runs'), 'utf8')).toBe(`agent ${flags} --job-id 42\n`);
      const variables = readFileSync(at('env'), 'utf8');
      expect(variables).not.toMatch(/^(HOME|USER|LOGNAME)=/m);
      expect(variables).toMatch(/^RUBYOPT=.*-EUTF-8$/m);
    });

    it('in the background; its status has the results as text', async () => {
      const answer = await world.run(PUPPETED, 'pxp-module-puppet run', { flags: [] });
      expect(answer.data.results).toEqual({ ...RESULT, exitcode: 0 });
      const status = await world.status(PUPPETED, String(answer.data.transaction_id));
      expect(status).toMatchObject({ status: 'success', exitcode: 0 });
      expect(JSON.parse(String(status.stdout))).toEqual({ ...RESULT, exitcode: 0 });
    });

    const json = 'The json received on STDIN';
    it.each<[string, string]>([
      ['--server', `${json} included a non-permitted flag: --server`],
      ['--no-onetime', `${json} overrides a default setting with: --no-onetime`],
      ['--environment=$(id)', `${json} contained characters not present in valid flags: --environment=$(id)`],
    ])('not with %s', async (flag, error) => {
      const { data } = await run([flag]);
      expect(data.results).toEqual({ ...NOTHING, exitcode: -1, error_type: 'invalid_json', error });
    });

    it.each<[string, () => void, Values]>([
      [
        'failed',
        () => writeFileSync(at('exit'), '1'),
        {
          ...RESULT,
          exitcode: 1,
          error_type: 'agent_exit_non_zero',
          error: 'Puppet agent exited with a non 0 exitcode',
        },
      ],
      [
        'is disabled',
        () => writeFileSync(at('disabled'), ''),
        { ...NOTHING, exitcode: 1, error_type: 'agent_disabled', error: 'Puppet agent is disabled' },
      ],
      [
        'wrote no other report',
        () => world.program('puppet/next', ''),
        {
          ...NOTHING,
          exitcode: 0,
          error_type: 'invalid_last_run_report',
          error: expect.stringContaining('could not be loaded'),
        },
      ],
      [
        'left the report of the last run',
        () => renew('next', null),
        {
          ...NOTHING,
          exitcode: 0,
          error_type: 'no_last_run_report',
          error: 'The Puppet run failed in an unexpected way',
        },
      ],
      [
        'left none',
        () => renewAll({ next: null, report: null }),
        {
          ...NOTHING,
          exitcode: 0,
          error_type: 'no_last_run_report',
          error: expect.stringContaining("/report doesn't exist"),
        },
      ],
    ])('and reports that it %s', async (_, prepare, results) => {
      prepare();
      const { data } = await run([]);
      expect(data.results).toEqual(results);
      renewAll({ exit: '0', next: REPORT, report: REPORT, disabled: null });
    });

    function renewAll(texts: Readonly<Record<string, string | null>>): void {
      for (const [name, text] of Object.entries(texts)) renew(name, text);
    }

    function renew(name: string, text: string | null): void {
      world.program(`puppet/${name}`, text ?? '');
      if (text === null) rmFile(at(name));
    }

    it('after the run that holds the lock', async () => {
      renew('lock', '');
      const before = readFileSync(at('runs'), 'utf8').length;
      const asked = run([]);
      await expect.poll(() => readFileSync(at('runs'), 'utf8').length).toBeGreaterThan(before);
      renew('lock', null);
      expect((await asked).data.results).toEqual({ ...RESULT, exitcode: 0 });
    });

    it('and says when there is no Puppet', async () => {
      const name = 'bare.example.com';
      const bare = (await world.addRunner(name, world.brokers, { 'puppet-bin': at('missing') })).start();
      await world.waitFor(name);
      const { data } = await world.ask(name, 'pxp-module-puppet run', { flags: [] });
      const error = `Puppet executable '${at('missing')}' does not exist`;
      expect(data.results).toEqual({ ...NOTHING, exitcode: -1, error_type: 'no_puppet_bin', error });
      await bare.end();
    });

    it('for the controllers of its configuration alone', async () => {
      const data = { transaction_id: randomUUID(), module: 'echo', action: 'echo', params: { argument: 'x' } };
      await world.send(PUPPETED, 'rpc_blocking_request', data, 'pcp://other/orchestrator');
      await expect
        .poll(() => node.log)
        .toContain('refused a message by pcp://other/orchestrator: Message not authorized.');
    });
  });

  it('gives a file up whose digest differs, after five attempts', async () => {
    const answer = await late;
    const reason =
      'Failed to download file with: The downloaded file "changed.sh" has a SHA that differs from the provided SHA';
    expect(answer.data.description).toBe(failed(reason, answer));
    expect(world.fetched.filter((line) => line.includes('changed.sh'))).toHaveLength(5);
    expect(readdirSync(join(runner.folder, 'cache', '0'.repeat(64)))).toEqual([]);
  });

  it('wrote no warning of Ruby', () => {
    expect(runner.errors).toBe('');
  });
});
