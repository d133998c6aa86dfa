import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { RubyHost } from '../../../../shared/puppet/ruby/ruby-host.ts';
import { startThread } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

/** The names of the calls that Ruby made. */
const asked: string[] = [];
const ruby = new RubyHost({
  timeLimitMs: 20_000,
  memoryKilobytes: 1_000_000,
  rendersAll: true,
  connect: () => {
    const thread = startThread({});
    return {
      send: thread.send,
      end: thread.end,
      receive: (budget) => {
        const frame = thread.receive(budget);
        const [, name] = /^\{"call":"(\w+)"/.exec(frame) ?? [];
        if (name !== undefined) asked.push(name);
        return frame;
      },
      get memoryKilobytes() {
        return thread.memoryKilobytes;
      },
      get processorWaitMs() {
        return thread.processorWaitMs;
      },
    };
  },
});
afterAll(() => ruby.close());

const FOLDER = "'/opt/puppetlabs/server/data/puppetserver/m'";

function render(...templates: readonly string[]): unknown {
  const names = templates.map((_, index) => `t${index}`);
  const result = compileSource(`[${names.map((name) => `template('m/${name}.erb')`).join(', ')}].join('')`, {
    ruby,
    files: Object.fromEntries(templates.map((text, index) => [`modules/m/templates/t${index}.erb`, text] as const)),
    keptValues: () => null,
  });
  return result.status === 'ok' ? result.lastValue : result;
}

describe('what code asks again and again', () => {
  beforeEach(() => {
    ruby.beginCompile('code');
    asked.length = 0;
  });

  it.each([
    ['a setting', 'Puppet[:vardir].length.to_s.length', '2', 'setting'],
    ['a folder', "Dir.children('/code/environments/production/modules').length", '1', 'list'],
    ['a path', "File.exist?('/code/environments/production/modules/m/x')", 'false', 'kind'],
  ])('crosses the border once in a compile: %s', (_, code, value, call) => {
    const template = `<%= ${code} %>,<%= ${code} %>,`;
    expect(render(template, template)).toBe(`${value},`.repeat(4));
    expect(asked.filter((name) => name === call)).toHaveLength(1);
  });

  it('gets each its own copy', () => {
    expect(render("<% 2.times { Puppet[:certname] << 'x' } %><%= Puppet[:certname].count('x') %>", '')).toBe('0');
  });

  it('is asked again when code wrote a file', () => {
    const path = `${FOLDER}+'/a'`;
    expect(
      render(
        `<%= File.exist?(${path}) %>,<% Dir.mkdir(${FOLDER}); File.write(${path}, 'b') %><%= File.read(${path}) %>`,
      ),
    ).toBe('false,b');
  });

  it('marks each template that draws numbers, and each once', () => {
    expect(render('<% 9.times { rand } %>a', '<% 9.times { rand } %>b')).toBe('ab');
    expect(asked.filter((name) => name === 'volatile')).toHaveLength(2);
  });

  it('leaves room for the objects of a compile in the state that each starts from', () => {
    const template = '<%= GC.stat(:heap_free_slots) > 60_000 %>';
    render(template);
    ruby.beginCompile('code');
    render(template);
    ruby.beginCompile('code');
    expect(render(template)).toBe('true');
  });
});
