import { describe, expect, it } from 'vitest';
import { runPlanSource } from './run-plan-source.ts';

/** Runs the body of a plan; the inventory gives these answers, in order. */
function run(body: string, answers: readonly unknown[] = []) {
  const { status, result, host } = runPlanSource({
    files: { 't/plans/init.pp': `plan t() {\n${body}\n}\n` },
    plan: 't',
    answers,
  });
  return { status, result, host };
}

const FACTS = [
  { certname: 'n1', path: ['os', 'name'], value: 'Debian', environment: 'production', name: 'os' },
  { certname: 'n2', path: ['os', 'name'], value: 'Rocky' },
  { certname: 'n1', path: ['ips', 0], value: '192.0.2.1' },
];

describe('resolve_references', () => {
  it('makes targets of the rows of a query', () => {
    const { result, host } = run(
      `return resolve_references({'targets' => {'_plugin' => 'puppetdb', 'query' => 'nodes[certname] {}'}})`,
      [[{ certname: 'n1' }, { certname: 'n2' }, { certname: 'n1' }]],
    );
    expect(result).toEqual({ targets: [{ uri: 'n1' }, { uri: 'n2' }] });
    expect(host.queries).toEqual(['nodes[certname] {}']);
  });

  it('fills a mapping with facts, which it asks for once', () => {
    const mapping = "{'name' => 'certname', 'vars' => {'os' => 'facts.os.name', 'ips' => ['facts.ips.0']}}";
    const { result, host } = run(
      `return resolve_references([{'_plugin' => 'puppetdb', 'query' => ['from', 'nodes'], 'target_mapping' => ${mapping}}])`,
      [[{ certname: 'n1' }, { certname: 'n2' }], FACTS],
    );
    expect(result).toEqual([
      [
        { name: 'n1', vars: { os: 'Debian', ips: ['192.0.2.1'] } },
        { name: 'n2', vars: { os: 'Rocky', ips: [null] } },
      ],
    ]);
    const names = ['in', 'certname', ['array', ['n1', 'n2']]];
    const paths = ['or', ['=', 'path', ['os', 'name']], ['=', 'path', ['ips', 0]]];
    expect(host.queries.map((query) => JSON.parse(query))).toEqual([
      ['from', 'nodes'],
      ['from', 'fact_contents', ['and', names, paths]],
    ]);
  });

  it.each<[string, string, object, readonly unknown[]]>([
    [
      'keys of targets beside the query',
      "{'_plugin' => 'puppetdb', 'query' => 'x', 'uri' => 'a', 'vars' => {}}",
      {
        kind: 'bolt/validation-error',
        msg: `PuppetDB plugin expects keys ["uri", "vars"] to be set under 'target_mapping'`,
      },
      [],
    ],
    [
      'unknown keys',
      "{'_plugin' => 'puppetdb', 'query' => 'x', 'nope' => 'a'}",
      { kind: 'bolt/validation-error', msg: 'Unknown keys in PuppetDB plugin: ["nope"]' },
      [],
    ],
    [
      'rows without certname',
      "{'_plugin' => 'puppetdb', 'query' => 'x'}",
      { kind: 'bolt/puppetdb-error', msg: "Query results did not contain a 'certname' field: got name, value" },
      [[{ name: 'a', value: 1 }]],
    ],
    [
      'a mapping to something else',
      "{'_plugin' => 'puppetdb', 'query' => 'x', 'target_mapping' => {'name' => 'os.name'}}",
      {
        kind: 'bolt.plugin/fact-lookup-error',
        msg: "Fact lookup 'os.name' contains an invalid factname: fact lookups must start with 'facts.'",
      },
      [],
    ],
    [
      'a mapping to a number',
      "{'_plugin' => 'puppetdb', 'query' => 'x', 'target_mapping' => {'name' => 3}}",
      {
        kind: 'bolt.plugin/fact-lookup-error',
        msg: "Fact lookup '3' contains an invalid factname: fact lookups must be a string",
      },
      [],
    ],
    [
      'a plugin that the server has not',
      "{'a' => [{'_plugin' => 'env_var', 'var' => 'HOME'}]}",
      {
        kind: 'bolt/not-available',
        msg:
          "resolve_references() cannot use the plugin 'env_var' in plans on this server: " +
          "the server's environment variables are not for plans",
      },
      [],
    ],
  ])('refuses %s', (_, reference, error, answers) => {
    expect(run(`return resolve_references(${reference})`, answers)).toMatchObject({ status: 'failure', result: error });
  });
});

describe('puppetdb_command', () => {
  it('sends the command, and returns its uuid', () => {
    const { result, host } = run("return puppetdb_command('deactivate_node', 3, {'certname' => 'n1'}, 'other')");
    expect(result).toBe('2d3ccf3b-6c4a-4b0a-9bb6-5d4ce1ee9d0f');
    expect(host.commands).toEqual([['deactivate_node', 3, { certname: 'n1' }]]);
  });

  it('refuses a payload without certname, as Bolt does', () => {
    expect(run("return puppetdb_command('deactivate_node', 3, {})").result).toMatchObject({
      kind: 'bolt/pdb-command',
      msg: "Payload must include 'certname', unable to invoke command.",
    });
  });
});

describe('plan_hierarchy', () => {
  const config = (plan: string) => `version: 5\nhierarchy:\n  - name: nodes\n    path: nodes.yaml\n${plan}`;
  const files = (plan: string) => ({
    't/hiera.yaml': config(plan),
    't/data/nodes.yaml': 't::a: of nodes\n',
    't/data/plans.yaml': 't::a: of plans\n',
    't/manifests/init.pp': 'class t(String $a) { notify { $a: } }\n',
    't/plans/init.pp': "plan t() {\n  apply('n1') { include t }\n  return lookup('t::a')\n}\n",
  });

  it.each([
    [
      'replaces the hierarchy in the plan alone',
      'plan_hierarchy:\n  - name: plans\n    path: plans.yaml\n',
      'of plans',
    ],
    ['may be absent', '', 'of nodes'],
  ])('%s', (_, plan, value) => {
    const { result, host } = runPlanSource({ files: files(plan), plan: 't' });
    expect(result).toBe(value);
    expect(JSON.stringify(host.catalogs)).toContain('"title":"of nodes"');
  });
});
