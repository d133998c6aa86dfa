import { describe, expect, it } from 'vitest';
import { runPlanSource } from './run-plan-source.ts';

interface Catalog {
  readonly name: string;
  readonly resources: readonly { readonly type: string; readonly title: string; readonly parameters?: object }[];
  readonly edges: readonly unknown[];
}

/** Runs a plan; returns what it came to, and the catalogs without the resources that all have. */
function apply(
  body: string,
  { files = {}, plan = `plan t() {\n${body}\n}\n`, path = 'init.pp', failing = false } = {},
) {
  const source = { plan: 't', files: { [`t/plans/${path}`]: plan, ...files } };
  const { status, result, host } = runPlanSource(source, failing);
  const catalogs = host.catalogs.map(([target, catalog]) => {
    const { name, resources } = catalog as Catalog;
    const own = resources.filter(
      ({ type, title }) => !(type === 'Stage' || (type === 'Class' && /^(main|Settings)$/.test(title))),
    );
    return [target, name, own.map(({ type, title, parameters }) => [`${type}[${title}]`, parameters ?? {}])];
  });
  return { status, result, catalogs };
}

describe('apply', () => {
  it('names the code that its catalogs were compiled from', () => {
    const files = { 't/plans/init.pp': "plan t() { apply('n1') { notify { 'x': } } }\n" };
    expect(runPlanSource({ plan: 't', files }).host.catalogs).toMatchObject([['n1', { code_id: 'c0de' }]]);
  });

  it('compiles the block with variables of the plan, and facts and variables of each target', () => {
    const { result, catalogs } = apply(`
      apply_prep(['n1', 'n2'])
      get_target('n2').set_var('place', 'there')
      $text = 'from the plan'
      $r = apply(['n1', 'n2']) {
        $x = "\${facts['os']['family']} \${role} \${text}"
        file { '/tmp/x': content => $x }
        notify { "\${trusted['certname']} \${place}": }
      }
      return $r.map |$one| { [$one.target.name, $one.ok, $one.message, $one.action, $one.report['status']] }`);
    const message = 'changed: 5, failed: 0, unchanged: 0 skipped: 0, noop: 0';
    expect(result).toEqual([
      ['n1', true, message, 'apply', 'changed'],
      ['n2', true, message, 'apply', 'changed'],
    ]);
    expect(catalogs).toEqual([
      [
        'n1',
        'n1',
        [
          ['File[/tmp/x]', { content: 'Debian n1 from the plan' }],
          ['Notify[n1 ]', {}],
        ],
      ],
      [
        'n2',
        'n2',
        [
          ['File[/tmp/x]', { content: 'Debian n2 from the plan' }],
          ['Notify[n2 there]', {}],
        ],
      ],
    ]);
  });

  it('includes classes of modules', () => {
    const files = { 'web/manifests/init.pp': `class web(Integer $port) {\n  notify { "port \${port}": }\n}\n` };
    const { catalogs } = apply("apply('n1') { class { 'web': port => 80 } }", { files });
    expect(catalogs).toEqual([
      [
        'n1',
        'n1',
        [
          ['Class[Web]', { port: 80 }],
          ['Notify[port 80]', {}],
        ],
      ],
    ]);
  });

  it('fails where a block does not compile, with the line of the plan', () => {
    const { status, result, catalogs } = apply("apply('n1') {\n  fail('not here')\n}");
    const place = { file: '/code/environments/production/modules/t/plans/init.pp', line: 2, column: 1 };
    const msg =
      'Apply failed to compile for n1: Evaluation Error: Error while evaluating a Function Call, not here (line: 3, column: 3) on node n1';
    expect({ status, catalogs }).toEqual({ status: 'failure', catalogs: [] });
    expect(result).toMatchObject({
      kind: 'bolt/apply-failure',
      msg,
      details: { action: 'apply', object: 'catalog', ...place },
    });
  });

  it('fails where resources failed, and says which', () => {
    const { result } = apply("apply('n1') { notify { 'a': } }", { failing: true });
    const msg = 'Resources failed to apply for n1\n  File[/x]: no such thing';
    expect(result).toMatchObject({
      kind: 'bolt/apply-failure',
      msg,
      details: {
        result_set: [{ target: 'n1', status: 'failure', value: { _error: { kind: 'bolt/resource-failure', msg } } }],
      },
    });
    const caught = apply(
      "$r = apply('n1', _catch_errors => true) { notify { 'a': } }\nreturn [$r.ok, $r.first.error.kind]",
      { failing: true },
    );
    expect(caught.result).toEqual([false, 'bolt/resource-failure']);
  });

  it('keeps the catalog from results', () => {
    const { result } = apply("$r = apply('n1') { notify { 'a': } }\nreturn [$r.first.catalog['name'], $r]");
    expect(result).toEqual(['n1', [expect.objectContaining({ target: 'n1', object: null, action: 'apply' })]]);
    expect(JSON.stringify(result)).not.toContain('resources":[');
  });

  it.each([
    ["apply(5) { notify { 'a': } }", 'apply targets are no TargetSpec'],
    ["apply('n1') { }", 'apply requires at least one statement in the apply block'],
  ])('refuses %s', (code, msg) => {
    expect(apply(code).result).toMatchObject({ kind: 'bolt/pal-error', msg });
  });

  it('is what the step `resources` of a plan in YAML does', () => {
    const plan = `steps:
  - name: r
    targets: n1
    resources:
      - package: nginx
        parameters: { ensure: present }
      - type: service
        title: nginx
return: $r.ok
`;
    const { result, catalogs } = apply('', { plan, path: 'init.yaml' });
    expect(result).toBe(true);
    expect(catalogs).toEqual([
      [
        'n1',
        'n1',
        [
          ['Package[nginx]', { ensure: 'present', before: ['Service[nginx]'] }],
          ['Service[nginx]', {}],
        ],
      ],
    ]);
  });
});
