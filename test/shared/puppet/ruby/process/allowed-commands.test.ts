import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createProcessRuby } from '../../../../../shared/puppet/ruby/process/process-host.ts';
import { compileSource } from '../../../../helpers/compile-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-commands-'));
const impostor = join(folder, 'expr');
writeFileSync(impostor, '#!/bin/sh\necho impostor\n');
chmodSync(impostor, 0o755);

const ruby = createProcessRuby({ env: { PATH: '/usr/bin:/bin' }, commands: ['expr'] });
afterAll(() => {
  ruby.close();
  rmSync(folder, { recursive: true });
});

let functions = 0;

/** Runs a command by the function of Puppet that modules use. */
function run(...argv: readonly string[]) {
  functions += 1;
  const name = `f${functions}`;
  const call = `Puppet::Util::Execution.execute(${JSON.stringify(argv)}).to_s`;
  const text = `Puppet::Functions.create_function(:'m::${name}') do\n  def ${name}\n    ${call}\n  end\nend\n`;
  const files = { [`modules/m/lib/puppet/functions/m/${name}.rb`]: text };
  const result = compileSource(`m::${name}()`, { ruby, files });
  if (result.status === 'needs') throw new Error('all values are there');
  return result.status === 'ok' ? result.lastValue : result.error.message;
}

describe('commands that an operator allowed by name', () => {
  it.each(['expr', '/usr/bin/expr', '/bin/expr'])('starts %s', (program) => {
    expect(run(program, '3', '+', '4')).toBe('7\n');
  });

  it.each([
    ['a program of that name in another folder', impostor],
    ['a path that leaves the folder of the system', `/usr/bin/../..${impostor}`],
    ['another program', '/usr/bin/env'],
  ])('refuses %s', (_what, program) => {
    const refusal = `Puppet::Util::Execution.execute (${program} 3 + 4) is not available to the function m::f${functions + 1}`;
    expect(run(program, '3', '+', '4')).toContain(`${refusal}: the Ruby of modules has no other processes`);
  });
});
