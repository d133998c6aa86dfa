import { afterAll, describe, expect, it } from 'vitest';
import { readProcessUser } from '../../../../shared/cli/client/option-values.ts';
import { rubyVariables, rubyWarnings } from '../../../../shared/cli/commands/ruby-choice.ts';
import { createProcessRuby } from '../../../../shared/puppet/ruby/process/process-host.ts';
import type { Value } from '../../../../shared/puppet/types/values/values.ts';
import { NO_CALLBACKS } from '../../../helpers/ruby-callbacks.ts';

const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot)('a Ruby process of another user', () => {
  process.env.UNDERSTUDY_TEST_SECRET = 'a secret of the compiler';
  const ruby = createProcessRuby({ env: rubyVariables(process.env.PATH), user: NOBODY });
  afterAll(() => ruby.close());
  let functions = 0;

  /** Code that goes past our library, as far as it can. */
  function run(body: string): Value {
    functions += 1;
    const name = `probe${functions}`;
    const text = `Puppet::Functions.create_function(:${name}) do
  dispatch(:run) {}
  def run
    ${body}
  end
end`;
    const path = `/modules/m/lib/puppet/functions/${name}.rb`;
    const description = ruby.describeFunction(name, { path, text }, NO_CALLBACKS);
    return ruby.callFunction(description, 'run', [], null, NO_CALLBACKS);
  }
  const read = (path: string) => `IO.new(IO.sysopen('${path}')).read.length`;

  it('runs as that user, and in no group of ours', () => {
    expect(run('[Process.uid, Process.euid, Process.gid, Process.egid, Process.groups]')).toEqual([
      65_534n,
      65_534n,
      65_534n,
      65_534n,
      [],
    ]);
  });

  it.each([`/proc/${process.pid}/environ`, `/proc/${process.pid}/mem`, '/etc/shadow'])('cannot read %s', (path) => {
    expect(() => run(read(path))).toThrow(`Permission denied @ rb_sysopen - ${path}`);
  });

  it('cannot signal the compiler', () => {
    expect(() => run(`Process.kill(0, ${process.pid})`)).toThrow('Operation not permitted');
  });

  it.each(['ABRT', 'KILL', 'SEGV'])('that ends by SIG%s is replaced by another one', (signal) => {
    const before = run('Process.pid');
    expect(() => run(`Process.kill(:${signal}, Process.pid); sleep`)).toThrow(/Ruby/);
    expect(run('Process.pid')).not.toBe(before);
  });

  it('has no variable of the compiler', () => {
    expect(run("IO.new(IO.sysopen('/proc/self/environ')).read.include?('secret')")).toBe(false);
  });
});

describe('the choice of a Ruby', () => {
  it('tells what is weaker in a process, and less of it as another user', () => {
    expect(rubyWarnings({ host: 'wasm', user: null }, 1000)).toEqual([]);
    expect(rubyWarnings({ host: 'process', user: null }, 1000)).toHaveLength(3);
    expect(rubyWarnings({ host: 'process', user: NOBODY }, 0)).toHaveLength(2);
    expect(() => rubyWarnings({ host: 'process', user: NOBODY }, 1000)).toThrow(
      'only root can run Ruby as another user (--ruby-user)',
    );
  });

  it('takes a user by numbers', () => {
    expect(readProcessUser('65534:65534')).toEqual(NOBODY);
    for (const text of ['nobody', '1', '1:x', '-1:1']) expect(() => readProcessUser(text)).toThrow('UID:GID');
  });
});
