import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRuby, type RunnerProcess } from './runner-process.ts';
import { CONTROLLER, RunnerWorld, type Values } from './runner-world.ts';

const NODE = 'web01.example.com';

describe.skipIf(!hasRuby())('the runner', () => {
  let world: RunnerWorld;
  let runner: RunnerProcess;

  beforeAll(async () => {
    world = await RunnerWorld.create();
    const broker = await world.startBroker();
    runner = (await world.addRunner(NODE, [broker])).start({ LC_ALL: 'C' });
    await world.waitFor(NODE);
  });
  afterAll(() => world.close());

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

  it('wrote no warning of Ruby', () => {
    expect(runner.errors).toBe('');
  });
});
