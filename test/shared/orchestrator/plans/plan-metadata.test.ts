import { describe, expect, it } from 'vitest';
import { InvalidPlan } from '../../../../shared/orchestrator/plans/plan-metadata.ts';
import { readPuppetPlan } from '../../../../shared/orchestrator/plans/puppet-plan.ts';
import { readYamlPlan } from '../../../../shared/orchestrator/plans/yaml-plan.ts';

const puppet = (source: string) => readPuppetPlan('demo::x', source, '/x.pp');
const yaml = (source: string) => readYamlPlan('demo::x', source, '/x.yaml');

describe('a plan in Puppet', () => {
  it('has the parameters and texts of its comment', () => {
    const source = `# A licence

# Restarts a service,
# one node after the other.
#
# @param nodes Where to restart:
#   all of them
# @param [String] service
#   What to restart
# @return [ResultSet]
plan demo::x(
  TargetSpec $nodes,
  Variant[String, Array[String]] $service = ['a', "b-\${1}"],
  $rest,
  Sensitive[String] $password,
) {
  run_command('id', $nodes)
}
`;
    expect(puppet(source)).toEqual({
      description: 'Restarts a service,\none node after the other.',
      private: false,
      parameters: {
        nodes: { type: 'TargetSpec', description: 'Where to restart:\nall of them', sensitive: false },
        service: {
          type: 'Variant[String, Array[String]]',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: Puppet interpolates it.
          default_value: '[\'a\', "b-${1}"]',
          description: 'What to restart',
          sensitive: false,
        },
        rest: { type: 'Any', sensitive: false },
        password: { type: 'Sensitive[String]', sensitive: true },
      },
    });
  });

  it.each([
    ['# @api private\n', true],
    ['# @private true\n', true],
    ['# @private false\n', false],
    ['# private\n', false],
    ['# @api private\n\n', false],
  ])('says with %j whether it is private', (comment, isPrivate) => {
    expect(puppet(`${comment}plan demo::x() {}`).private).toBe(isPrivate);
  });

  it.each([
    ['plan demo::x( {', "Syntax error at '{' (file: /x.pp, line: 1, column: 15)"],
    ['plan demo::y() {}', 'The file /x.pp does not define the plan demo::x'],
    ['', 'The file /x.pp does not define the plan demo::x'],
  ])('is refused when it is %j', (source, message) => {
    expect(() => puppet(source)).toThrow(new InvalidPlan(message));
  });
});

describe('a plan in YAML', () => {
  it('has parameters and texts', () => {
    const source = `
description: Does it
private: true
parameters:
  nodes: {type: TargetSpec, description: Where}
  count: {default: 3}
  any:
steps: [{command: id, targets: $nodes}]
return: $x
`;
    expect(yaml(source)).toEqual({
      description: 'Does it',
      private: true,
      parameters: {
        nodes: { type: 'TargetSpec', description: 'Where', sensitive: false },
        count: { type: 'Any', default_value: 3, sensitive: false },
        any: { type: 'Any', sensitive: false },
      },
    });
  });

  const fault = (what: string) => `The plan demo::x cannot be read: ${what} (file: /x.yaml)`;
  it.each([
    ['', fault('it must be a mapping')],
    ['[]', fault('it must be a mapping')],
    ['{}', fault('steps must be a list')],
    ['{steps: [], step: 1}', fault('unknown keys step')],
    ['{steps: [], private: 1}', fault('private must be true or false')],
    ['{steps: [], description: []}', fault('description must be a text')],
    ['{steps: [], parameters: []}', fault('parameters must be a mapping')],
    ['{steps: [], parameters: {A: {}}}', fault("'A' is not a valid parameter name")],
    ['{steps: [], parameters: {a: 5}}', fault('the parameter a must be a mapping')],
    ['{steps: [], parameters: {a: {typ: x}}}', fault('the parameter a has unknown keys typ')],
    ['{steps: [], parameters: {a: {type: 1}}}', fault('the type of the parameter a must be a text')],
    ['{steps: [', expect.stringMatching(/^\(\/x\.yaml\): /)],
  ])('is refused when it is %j', (source, message) => {
    expect(() => yaml(source)).toThrow(expect.objectContaining({ name: 'InvalidPlan', message }));
  });
});
