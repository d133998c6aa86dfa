import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileSource } from '../../../helpers/compile-source.ts';
import { NO_CALLBACKS, withCallbacks } from '../../../helpers/ruby-callbacks.ts';
import { TRAP, TrappingRuby } from '../../../helpers/trapping-ruby.ts';

const isCall = (frame: string) => frame.includes('"op":"call"');
const isTemplate = (frame: string) => frame.includes('"op":"erb"');
const isAnswer = (frame: string) => frame.startsWith('{"ret":');
let ruby: TrappingRuby;

beforeEach(() => {
  ruby = new TrappingRuby();
});
afterEach(() => ruby.host.close());

function source(name: string, body: string) {
  const text = `Puppet::Functions.create_function(:${name}) do
  dispatch :run do
    repeated_param 'Any', :args
    optional_block_param
  end
  def run(*args)
    ${body}
  end
end`;
  return { path: `/modules/m/lib/puppet/functions/${name}.rb`, text };
}

function call(name: string, body: string) {
  const description = ruby.host.describeFunction(name, source(name, body), NO_CALLBACKS);
  return ruby.host.callFunction(description, 'run', [20n, 22n], null, NO_CALLBACKS);
}

/** The class and message of what is thrown. */
function failure(work: () => unknown): string {
  try {
    return `no error: ${String(work())}`;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return `${error.constructor.name}: ${error.message}`;
  }
}

describe('a trap in a call', () => {
  it('throws Ruby away, and the call is repeated in a new one', () => {
    ruby.trapOn(isCall);
    expect(call('sum', 'args.sum')).toBe(42n);
    expect([ruby.started, ruby.ended]).toEqual([2, 1]);
  });

  it('is an error that names the function when it comes again, and Ruby goes on with the next', () => {
    ruby.trapOn(isCall);
    ruby.trapOn(isCall);
    expect(failure(() => call('sum', 'args.sum'))).toBe(`RubyError: Ruby was stopped in sum: ${TRAP}`);
    expect([ruby.started, ruby.ended]).toEqual([2, 2]);
    expect(call('sum', 'args.sum')).toBe(42n);
    expect(call('difference', 'args[1] - args[0]')).toBe(2n);
    expect([ruby.started, ruby.ended]).toEqual([3, 2]);
  });

  it('is the same for a template', () => {
    const render = () =>
      ruby.host.renderTemplate({ path: '/modules/m/templates/t.erb', text: '<%= 6 * 7 %>' }, NO_CALLBACKS);
    ruby.trapOn(isTemplate);
    expect(render()).toBe('42');
    ruby.trapOn(isTemplate);
    ruby.trapOn(isTemplate);
    expect(failure(render)).toBe(`RubyError: Ruby was stopped in /modules/m/templates/t.erb: ${TRAP}`);
    expect(render()).toBe('42');
  });

  it('is not repeated when Ruby has changed something in the compile', () => {
    const logged: string[] = [];
    const callbacks = withCallbacks(NO_CALLBACKS, { log: (_: string, message: string) => void logged.push(message) });
    const name = 'told';
    const description = ruby.host.describeFunction(name, source(name, "Puppet.notice('once'); args.sum"), callbacks);
    ruby.trapOn(isAnswer);
    expect(failure(() => ruby.host.callFunction(description, 'run', [1n], null, callbacks))).toBe(
      `RubyEnded: Ruby was stopped in told: ${TRAP}`,
    );
    expect(logged).toEqual(['once']);
  });
});

describe('a compile in which Ruby traps', () => {
  const CODE = `
    $sum = told(20, 22)
    notify { "sum \${sum('a', 'b')}": message => $sum }
    notify { inline_template('<%= 6 * 7 %>'): }
  `;
  const files = {
    'modules/m/lib/puppet/functions/told.rb': source('told', "Puppet.notice('told'); args.sum").text,
    'modules/m/lib/puppet/functions/sum.rb': source('sum', 'args.join').text,
  };
  const compile = (host = ruby.host) => compileSource(CODE, { files, ruby: host });
  const expected = () => {
    const undisturbed = new TrappingRuby();
    try {
      return compile(undisturbed.host);
    } finally {
      undisturbed.host.close();
    }
  };

  it.each<[string, readonly ((frame: string) => boolean)[]]>([
    ['before anything was changed', [isCall]],
    ['in the middle of a call that has changed something', [isAnswer]],
    ['in one call and then in another', [isCall, (frame) => isCall(frame) && frame.includes('"sum"')]],
    ['in a template', [isTemplate]],
    ['in each kind', [isCall, isAnswer, isTemplate]],
  ])('gives the same catalog and log: %s', (_, traps) => {
    for (const trap of traps) ruby.trapOn(trap);
    const result = compile();
    expect(result).toEqual(expected());
    expect(result.status).toBe('ok');
    expect(ruby.started).toBeGreaterThan(1);
  });

  it('fails with a message that names the function when it traps each time, and gives no catalog', () => {
    for (let times = 0; times < 10; times += 1) ruby.trapOn((frame) => isCall(frame) && frame.includes('"sum"'));
    const result = compile();
    expect(result.status).toBe('failed');
    expect(result).not.toHaveProperty('catalog');
    const message = result.status === 'failed' ? result.error.message : '';
    expect(message).toContain(`Ruby was stopped in sum: ${TRAP}`);
    expect(message).toMatch(/ on node node\.example\.com$/);
  });

  it('fails so as well where each compile changes something before it traps', () => {
    for (let times = 0; times < 10; times += 1) ruby.trapOn(isAnswer);
    const result = compile();
    expect(result).toMatchObject({
      status: 'failed',
      error: { message: `Ruby was stopped in told: ${TRAP} on node node.example.com` },
    });
  });
});

describe('code that makes WebAssembly itself trap', () => {
  // Blocks within blocks go deeper in the machine's own stack than Ruby knows.
  const DEEP = 'r = ->(k) { [1].each { r.(k + 1) } }; begin; r.(0); rescue SystemStackError; 0; end';

  it('gives what Ruby gives, or an error that names the function, and Ruby goes on', () => {
    expect(failure(() => call('deep', DEEP))).toMatch(/^(no error: 0|RubyError: Ruby was stopped in deep: \w+: .+)$/);
    expect(call('sum', 'args.sum')).toBe(42n);
  });

  it('fails the compile and no other one', () => {
    const files = { 'modules/m/lib/puppet/functions/deep.rb': source('deep', `${DEEP}; 'never'`).text };
    const result = compileSource('notify { deep(): }', { files, ruby: ruby.host });
    if (result.status === 'ok') expect(result.catalog).toContain('"title":"never"');
    else
      expect(result).toMatchObject({
        status: 'failed',
        error: { message: expect.stringContaining('Ruby was stopped in deep: ') },
      });
    ruby.host.beginCompile('next');
    expect(compileSource('notify { inline_template("<%= 6 * 7 %>"): }', { ruby: ruby.host }).status).toBe('ok');
  });
});
