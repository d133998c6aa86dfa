import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PxpAgent } from '../../helpers/pxp-agent.ts';
import { PlanSite } from './plan-site.ts';

const NODES = 'web01.example.com,web02.example.com';
const FILES = {
  'demo/plans/init.pp': `plan demo(TargetSpec $targets) {
    out::message('begin')
    $results = run_command('id -un', $targets)
    return $results.map |$one| { "\${one.target.name}: \${one['stdout'].strip}" }
  }`,
  'demo/plans/fails.pp': "plan demo::fails(TargetSpec $targets) {\n  run_command('exit 3', $targets)\n}",
  'demo/plans/parallel.pp': `plan demo::parallel(TargetSpec $targets) {
    return parallelize(get_targets($targets)) |$target| {
      $first = run_command('one', $target).first['stdout'].strip
      $second = run_command('two', $target).first['stdout'].strip
      "\${target.name} \${first} \${second}"
    }
  }`,
  'demo/plans/ruby.pp': 'plan demo::ruby(String $text) {\n  return demo::shout($text)\n}',
  'demo/lib/puppet/functions/demo/shout.rb': `Puppet::Functions.create_function(:'demo::shout') do
  dispatch(:shout) { param 'String', :text }
  def shout(text)
    text.upcase
  end
end
`,
  'demo/plans/outer.pp': "plan demo::outer() {\n  return run_plan('demo::sub::inner', text => 'x')\n}",
  'demo/plans/sub/inner.yaml':
    'parameters:\n  text:\n    type: String\nsteps:\n  - message: "inner $text"\nreturn: $text\n',
  'demo/plans/slow.pp':
    "plan demo::slow(TargetSpec $targets) {\n  run_command('echo done', $targets)\n  ctrl::sleep(3600)\n}",
  'demo/plans/endless.pp': 'plan demo::endless() {\n  ctrl::sleep(3600)\n}',
  'demo/plans/secret.pp': `plan demo::secret(TargetSpec $targets, Sensitive[String] $password) {
    out::message("the password is \${password} and \${password.unwrap}")
    run_command("login \${password.unwrap}", $targets)
    return({ 'unwrapped' => $password.unwrap })
  }`,
};

let site: PlanSite;
let agents: readonly PxpAgent[];
const commands: string[] = [];

beforeAll(async () => {
  site = await PlanSite.open(FILES);
  agents = await Promise.all(
    NODES.split(',').map((name) =>
      site.connect(name, (command) => {
        commands.push(command);
        if (command === 'exit 3') return { exitcode: 3, stdout: '' };
        return { stdout: command.startsWith('login') ? 'ok\n' : `${command} on ${name}\n` };
      }),
    ),
  );
});

afterAll(async () => {
  for (const agent of agents) agent.close();
  await site.close();
});

describe('plans of npm start', () => {
  it('run, and have events and jobs', async () => {
    const job = await site.runPlan('demo', { targets: NODES });
    expect(job).toMatchObject({
      name: '1',
      state: 'success',
      result: ['web01.example.com: id -un on web01.example.com', 'web02.example.com: id -un on web02.example.com'],
      options: { plan_name: 'demo', parameters: { targets: NODES }, environment: 'production' },
      status: { 2: [{ state: 'new' }, { state: 'ready' }, { state: 'running' }, { state: 'finished' }] },
    });
    expect(await site.events('1')).toEqual([
      'plan_start: Plan demo started',
      'out_message: begin',
      "command_start: Job 2 started: command 'id -un'",
      'plan_finished: Plan demo finished',
    ]);
    expect(await site.ask('GET', '/jobs/2')).toMatchObject({ body: { type: 'plan_command', state: 'finished' } });
  });

  it('fail with the results of the nodes', async () => {
    const job = await site.runPlan('demo::fails', { targets: 'web01.example.com' });
    expect(job).toMatchObject({
      state: 'failure',
      result: {
        kind: 'bolt/run-failure',
        msg: "run_command 'exit 3' failed on 1 target",
        details: {
          action: 'run_command',
          result_set: [{ target: 'web01.example.com', status: 'failure', value: { exit_code: 3 } }],
          line: 2,
        },
      },
    });
  });

  it('run blocks side by side', async () => {
    const { result } = await site.runPlan('demo::parallel', { targets: NODES });
    expect(result).toEqual(NODES.split(',').map((name) => `${name} one on ${name} two on ${name}`));
  });

  it('run other plans, also such as are in YAML and below a folder', async () => {
    const job = await site.runPlan('demo::outer');
    expect(job).toMatchObject({ state: 'success', result: 'x' });
    expect(await site.events(String(job.name))).toEqual([
      'plan_start: Plan demo::outer started',
      'plan_start: Plan demo::sub::inner started',
      'out_message: inner x',
      'plan_end: Plan demo::sub::inner ended',
      'plan_finished: Plan demo::outer finished',
    ]);
  });

  it('call functions of modules in Ruby', async () => {
    expect(await site.runPlan('demo::ruby', { text: 'loud' })).toMatchObject({ state: 'success', result: 'LOUD' });
  });

  it('take nodes of a query as a parameter only with an inventory', async () => {
    const body = { plan_name: 'demo', params: { targets: { value: 'nodes[certname] {}', type: 'query' } } };
    expect(await site.ask('POST', '/command/environment_plan_run', body)).toMatchObject({
      code: 400,
      body: { kind: 'puppetlabs.orchestrator/puppetdb-error' },
    });
    const plain = { plan_name: 'demo', params: { targets: { value: NODES } } };
    const { code, body: made } = await site.ask('POST', '/command/environment_plan_run', plain);
    expect(code).toBe(202);
    expect(await site.waitFor(String(made.name))).toMatchObject({ state: 'success' });
  });

  it('are refused when they are unknown, or lack parameters', async () => {
    expect(await site.ask('POST', '/command/plan_run', { plan_name: 'demo::nothing' })).toMatchObject({
      code: 404,
      body: { kind: 'puppetlabs.orchestrator/unknown-plan', msg: 'Unknown plan demo::nothing' },
    });
    const { result } = await site.runPlan('demo', {});
    expect(result).toMatchObject({
      kind: 'bolt/pal-error',
      msg: expect.stringContaining("expects a value for parameter 'targets'"),
    });
  });

  it('stop', async () => {
    const { body } = await site.ask('POST', '/command/plan_run', { plan_name: 'demo::endless', params: {} });
    expect(await site.ask('POST', '/command/stop_plan', { plan_job: body.name })).toEqual({
      code: 202,
      body: { name: body.name },
    });
    expect(await site.waitFor(String(body.name))).toMatchObject({
      state: 'failure',
      result: { kind: 'puppetlabs.orchestrator/plan-stopped' },
    });
  });

  it('end when they take too long', async () => {
    const { body } = await site.ask('POST', '/command/plan_run', {
      plan_name: 'demo::endless',
      params: {},
      timeout: 1,
    });
    expect(await site.waitFor(String(body.name))).toMatchObject({
      state: 'failure',
      result: { kind: 'puppetlabs.orchestrator/plan-timeout', msg: 'The plan took too long, and was ended' },
    });
  });

  it('belong to the server: nobody else adds to them', async () => {
    const { body } = await site.ask('POST', '/command/plan_run', { plan_name: 'demo::endless', params: {} });
    const finish = { plan_job: body.name, result: 'forged', status: 'success' };
    expect(await site.ask('POST', '/command/plan_finish', finish)).toMatchObject({ code: 400 });
    await site.ask('POST', '/command/stop_plan', { plan_job: body.name });
  });

  it('keep the values of their secrets', async () => {
    const password = 'correct-horse-battery';
    const job = await site.runPlan('demo::secret', { targets: 'web01.example.com', password });
    expect(commands).toContain(`login ${password}`);
    expect(job).toMatchObject({
      state: 'success',
      result: { unwrapped: '[Sensitive]' },
      options: { parameters: { targets: 'web01.example.com' }, sensitive: ['password'] },
    });
    const [number = ''] = Object.keys(job.status as object);
    const jobs = await Promise.all(['', '/events'].map((path) => site.ask('GET', `/jobs/${number}${path}`)));
    const shown = JSON.stringify([job, jobs, await site.events(String(job.name))]);
    expect(shown).not.toContain(password);
    expect(shown).toContain('the password is Sensitive [value redacted] and [Sensitive]');
  });

  it('run when they are scheduled', async () => {
    const start = new Date(Date.now() + 1500).toISOString();
    const body = {
      type: 'plan',
      environment: 'production',
      input: { name: 'demo', parameters: { targets: NODES } },
      schedule: { start_time: start, interval: null },
    };
    const { body: made, code } = await site.ask('POST', '/scheduled_jobs/environment_jobs', body);
    expect(code).toBe(200);
    const { name } = made.scheduled_job as { readonly name: string };
    const read = () => site.ask('GET', `/scheduled_jobs/environment_jobs/${name}`);
    await expect
      .poll(read)
      .toMatchObject({ body: { last_run: { job: { id: expect.stringContaining('/plan_jobs/') } } } });
    const { last_run: run } = (await read()).body as { readonly last_run: { readonly job: { readonly name: string } } };
    expect(await site.waitFor(run.job.name)).toMatchObject({ state: 'success', options: { scheduled_job_id: name } });
  });

  it('end as failed when their server stops, with what was done', async () => {
    const { body } = await site.ask('POST', '/command/plan_run', {
      plan_name: 'demo::slow',
      params: { targets: 'web01.example.com' },
    });
    const name = String(body.name);
    await expect.poll(() => site.events(name)).toContainEqual(expect.stringContaining('command_start'));
    await expect
      .poll(async () => (await site.ask('GET', '/jobs')).body.items)
      .not.toContainEqual(expect.objectContaining({ state: 'running' }));
    await site.stop();
    await site.start();
    expect(await site.waitFor(name)).toMatchObject({
      state: 'failure',
      result: {
        kind: 'puppetlabs.orchestrator/plan-ended',
        msg: 'The server was stopped, and the plan with it',
        details: { jobs: [{ job: String(Number(name) + 1), state: 'finished' }] },
      },
    });
  });
});
