import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRuby, type RunnerProcess } from './runner-process.ts';
import { RunnerWorld, type Values } from './runner-world.ts';

describe.skipIf(!hasRuby())('the runner runs Puppet', () => {
  let world: RunnerWorld;
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
    world = await RunnerWorld.create();
    await world.startBroker();
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
  afterAll(() => world.close());

  it('with flags and a job', async () => {
    const { data } = await run(['--noop', '--environment', 'staging', '--tags', 'a,b::c', '--no-use_cached_catalog'], {
      job: '42',
    });
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
    if (text === null) rmSync(at(name));
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
