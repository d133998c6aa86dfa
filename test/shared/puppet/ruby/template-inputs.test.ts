/** What templates read of facts and files is an input of the catalog: that, and no more. */
import { afterAll, describe, expect, it } from 'vitest';
import { Inputs } from '../../../../shared/puppet/environment/inputs.ts';
import { createWasmRuby } from '../../../../shared/puppet/ruby/wasm/wasm-host.ts';
import { PuppetHash } from '../../../../shared/puppet/types/values/puppet-hash.ts';
import { catalogOf } from '../../../helpers/compile-source.ts';

const ruby = createWasmRuby();
afterAll(() => ruby.close());

function facts(): PuppetHash {
  const os = PuppetHash.of([
    ['family', 'Debian'],
    ['release', PuppetHash.of([['major', '12']])],
  ]);
  return PuppetHash.of([
    ['os', os],
    ['uptime', 5n],
    ['disks', ['sda', 'sdb']],
  ]);
}

/**
 * Facts that each compile looks for, since the scope's own variables of that name would be in their
 * way.
 */
const ALWAYS: readonly string[] = ['["name"]', '["title"]'];

/** What was read of the facts, and the files of the environment, when the template was rendered. */
function inputsOf(code: string, files: Readonly<Record<string, string>> = {}): { facts: string[]; files: string[] } {
  const inputs = new Inputs();
  catalogOf(code, { files, ruby, inputs, facts: inputs.recordFacts(facts()) });
  const result = inputs.getResult();
  const read = Object.keys(result.facts).filter((path) => !ALWAYS.includes(path));
  return { facts: read.sort(), files: Object.keys(result.files).sort() };
}

describe('a template', () => {
  it.each([
    ['nothing', '<%= 1 + 1 %>', []],
    ['a variable that it names', '<%= @uptime %>', ['["uptime"]']],
    ['a fact by its path', "<%= scope['facts']['uptime'] %>", ['["uptime"]']],
    ['a deep fact', '<%= @facts["os"]["family"] + scope["facts"]["disks"].join %>', ['["disks"]', '["os","family"]']],
    ['a deep fact as it is', '<%= @facts["os"]["release"]["major"] %>', ['["os","release","major"]']],
    ['a fact that is not there', "<%= scope.lookupvar('::facts')['none'].nil? %><%= @facts['none'] %>", ['["none"]']],
    ['all facts', '<%= @facts.size %>', ['[]']],
    ['a fact in a hash of facts', '<%= @os["family"] %>', ['["os","family"]']],
    ['a hash of facts', '<%= @os %>', ['["os"]']],
    ['a fact in top scope', "<%= scope.lookupvar('::uptime') %>", ['["uptime"]']],
    ['a fact that is asked for', "<%= has_variable?('uptime') %>", ['["uptime"]']],
    ['a fact by getvar', "<%= scope.call_function('getvar', ['facts.os.family']) %>", ['["os","family"]']],
    ['the name of a variable', "<%= scope.to_hash.key?('nothing') %>", ['["nothing"]']],
    // Which variables there are follows from the values: those that are undef are none.
    ['names of variables', '<%= scope.to_hash.keys.size > 3 %>', ['[]']],
    ['all variables', '<%= scope.to_hash.size > 3 && scope.to_hash.to_a.size %>', ['[]']],
  ])('that reads %s has it recorded', (_, template, expected) => {
    expect(inputsOf(`notice(inline_template(${JSON.stringify(template).replaceAll('$', '\\$')}))`).facts).toEqual(
      expected,
    );
  });

  it('is recorded with all others that are joined to it, and what they read', () => {
    const files = {
      'modules/m/templates/a.erb': '<%= @uptime %>',
      'modules/m/templates/b.erb': '<%= File.read(File.join(File.dirname(file), "part")) %>',
      'modules/m/templates/part': 'read by Ruby',
      'modules/m/templates/unread.erb': 'x',
    };
    const read = inputsOf("notice(template('m/a.erb', 'm/b.erb'))", files);
    expect(read.facts).toEqual(['["uptime"]']);
    expect(read.files.filter((path) => path.includes('/templates/'))).toEqual(
      ['a.erb', 'b.erb', 'part'].map((name) => `environments/production/modules/m/templates/${name}`),
    );
  });

  it('that is rendered again reads again', () => {
    const code = 'notice(inline_template("<%= @uptime %>"))';
    expect(inputsOf(code)).toEqual(inputsOf(code));
    expect(inputsOf(code).facts).toEqual(['["uptime"]']);
  });
});
