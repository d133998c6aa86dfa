import { describe, expect, it } from 'vitest';
import { runPlanSource } from './run-plan-source.ts';

function run(body: string, files: Readonly<Record<string, string>> = {}) {
  const { status, result } = runPlanSource({
    plan: 't',
    files: { 't/plans/init.pp': `plan t() {\n${body}\n}\n`, ...files },
  });
  return { status, result };
}

describe('plans on a server', () => {
  it.each([
    [
      "system::env('PATH')",
      "system::env() cannot be used in plans on this server: the server's environment variables are not for plans",
    ],
    [
      "file::write('/tmp/x', 'y')",
      'file::write() cannot be used in plans on this server: plans write no files on the server',
    ],
    [
      "file::delete('/tmp/x')",
      'file::delete() cannot be used in plans on this server: plans write no files on the server',
    ],
    [
      "prompt('Sure?')",
      'prompt() cannot be used in plans on this server without a default: nobody is there to answer, so give the plan a parameter',
    ],
    ["run_container('a')", 'run_container() cannot be used in plans on this server: the server runs no containers'],
    [
      "get_targets('ssh://a.example.com')",
      'Targets are nodes whose agents are connected to this server: ssh://a.example.com needs another transport',
    ],
  ])('refuse %s', (code, msg) => {
    const details = { file: '/code/environments/production/modules/t/plans/init.pp', line: 2, column: 1 };
    expect(run(code)).toEqual({ status: 'failure', result: { kind: 'bolt/not-available', msg, details } });
  });

  it.each(['/etc/passwd', '../../../../../etc/passwd', 't/../../../../../../etc/passwd'])('read no file %s', (path) => {
    expect(run(`file::read('${path}')`)).toMatchObject({
      status: 'failure',
      result: { kind: 'bolt/pal-error', msg: expect.stringContaining(`No such file or directory: ${path}`) },
    });
    expect(run(`return file::exists('${path}')`)).toEqual({ status: 'success', result: false });
  });

  it('end when plans run within each other too often', () => {
    const sub = { 't/plans/again.pp': "plan t::again() {\n run_plan('t::again')\n}\n" };
    expect(run("run_plan('t::again')", sub)).toMatchObject({
      status: 'failure',
      result: { kind: 'bolt/limit', msg: 'Plans may run within each other 30 times' },
    });
  });

  it('end when functions call each other too deeply', () => {
    const endless = { 't/functions/f.pp': 'function t::f($x) {\n t::f($x + 1)\n}\n' };
    expect(run('t::f(1)', endless)).toEqual({
      status: 'failure',
      result: { kind: 'bolt/pal-error', msg: 'stack level too deep', details: {} },
    });
  });

  it('end when too much runs in the background', () => {
    expect(run('return parallelize(Array(Integer[1, 101])) |$x| { $x }')).toMatchObject({
      status: 'failure',
      result: { kind: 'bolt/limit', msg: 'A plan may have 100 blocks in the background at a time' },
    });
  });

  it('run each call of a block in the background once, however often the block is begun again', () => {
    const body = `return parallelize([1, 2]) |$x| {
      $t = get_target("n\${x}")
      $before = $t.facts['n']
      add_facts($t, { 'n' => $x })
      $steps = [1, 2, 3, 4].map |$step| { run_command("echo \${x}.\${step}", $t).first['stdout'].strip }
      set_var($t, 'done', $x)
      [$before, $t.facts['n'], $t.vars['done'], $steps]
    }`;
    expect(run(body)).toEqual({
      status: 'success',
      result: [
        [null, 1, 1, ['1.1', '1.2', '1.3', '1.4']],
        [null, 2, 2, ['2.1', '2.2', '2.3', '2.4']],
      ],
    });
  });
});
