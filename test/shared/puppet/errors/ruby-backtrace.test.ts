import { expect, it } from 'vitest';
import { PreformattedError, PuppetError } from '../../../../shared/puppet/errors/puppet-error.ts';
import { rubyBacktraceOf } from '../../../../shared/puppet/errors/ruby-backtrace.ts';
import { RubyError } from '../../../../shared/puppet/errors/ruby-error.ts';

const ROOT = '/code/environments/production';
const PLACE = { file: `${ROOT}/modules/m/lib/f.rb`, line: 3 };

function raised(...frames: readonly string[]): RubyError {
  return new RubyError('ArgumentError', 'no', PLACE, undefined, { frames });
}

it.each<[string, unknown, readonly string[]]>([
  [
    'paths relative to the environment, and others whole',
    raised(`${ROOT}/modules/m/lib/f.rb:3:in \`block in go'`, "/modules/n/lib/g.rb:7:in 'call'"),
    ["modules/m/lib/f.rb:3:in `block in go'", "/modules/n/lib/g.rb:7:in 'call'"],
  ],
  [
    'no names of methods that templates are compiled to',
    raised(`${ROOT}/t.erb:3:in \`__render_12__'`, `${ROOT}/t.erb:2:in \`block (2 levels) in __render_12__'`),
    ['t.erb:3', 't.erb:2'],
  ],
  ['the place of code that does not load', raised(), ['modules/m/lib/f.rb:3']],
  [
    'the error below errors of Puppet',
    new PuppetError('x', { cause: new PreformattedError('y', { cause: raised(`${ROOT}/a.rb:1`) }) }),
    ['a.rb:1'],
  ],
  ['no control characters', raised(`${ROOT}/a.rb:1:in \`\u001b[2J'`), ["a.rb:1:in ` [2J'"]],
  ['nothing of an error of Puppet', new PuppetError('x'), []],
  ['nothing of what is no error', 'x', []],
])('has %s', (_, error, expected) => {
  expect(rubyBacktraceOf(error, ROOT)).toEqual(expected);
});

it('has at most 2,000 characters', () => {
  const frames = Array.from({ length: 10 }, (_, index) => `${index}${'x'.repeat(299)}`);
  expect(rubyBacktraceOf(raised(...frames), ROOT)).toEqual(frames.slice(0, 6));
});

it('ends where errors are each the cause of the other', () => {
  const one = new PuppetError('x');
  Object.assign(one, { cause: one });
  expect(rubyBacktraceOf(one, ROOT)).toEqual([]);
});
