import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompileCommand, compileLocally } from '../../../../shared/cli/commands/compile-command.ts';

const FILES: Readonly<Record<string, string>> = {
  'environments/production/manifests/site.pp': `
node 'ok' {
  warning("hello \${facts['role']}")
  notify { "\${trusted['certname']} \${trusted['authenticated']}": }
  Notify <<| tag == 'x' |>>
}
node 'bad' { fail('no way') }
node 'strict' { notice($nope) }
node 'loud' { debug('d') info('i') notice('n') warning('w') err('e') alert('a') }
`,
  'environments/broken/environment.conf': 'what is this\n',
  'facts.json': '{"name": "ok", "values": {"role": "web"}}',
  'plain.json': '{"role": "db", "uptime": 1}',
  'unparsable.json': '{"role": ',
  'list.json': '[]',
  'trusted.json': '{"certname": "other", "authenticated": "local"}',
  'exports.json': JSON.stringify([
    { certname: 'b', type: 'Notify', title: 'from b', tags: ['x'], parameters: { message: 'm' } },
    { certname: 'ok', type: 'Notify', title: 'own', tags: ['x'], parameters: {} },
  ]),
  'nameless.json': '[{"type": "Notify", "title": "x"}]',
};

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'compile-command-'));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});
afterAll(() => rmSync(root, { recursive: true }));

function run(certname: string, change: Partial<CompileCommand> = {}) {
  const inRoot = (name: string | undefined) => name && join(root, name);
  const { facts = 'facts.json', trusted, exports, ...rest } = change;
  return compileLocally({
    certname,
    controlRepo: root,
    environment: 'production',
    set: [],
    explain: false,
    at: 5000,
    ...rest,
    facts: join(root, facts),
    trusted: inRoot(trusted),
    exports: inRoot(exports),
  });
}

function notifies(output: string): readonly string[] {
  const catalog: { resources: { type: string; title: string }[] } = JSON.parse(output);
  return catalog.resources.filter(({ type }) => type === 'Notify').map(({ title }) => title);
}

describe('understudy compile', () => {
  it('prints the catalog as an agent gets it, and the log', () => {
    const { output, log, exitCode } = run('ok');
    expect(JSON.parse(output)).toMatchObject({ version: 5, code_id: null, catalog_format: 2, name: 'ok' });
    expect(notifies(output)).toEqual(['ok remote']);
    expect(log).toEqual(['Warning: Scope(Node[ok]): hello web']);
    expect(exitCode).toBe(0);
  });

  it('takes plain facts, trusted facts, and exports of other nodes', () => {
    const { output, log } = run('ok', { facts: 'plain.json', trusted: 'trusted.json', exports: 'exports.json' });
    expect(notifies(output)).toEqual(['other local', 'from b']);
    expect(log).toEqual(['Warning: Scope(Node[ok]): hello db']);
  });

  it('prints Puppet’s message of a failed compile', () => {
    const { output, log, exitCode } = run('bad');
    expect(output).toBe('');
    expect(log).toEqual([
      `Error: Evaluation Error: Error while evaluating a Function Call, no way (file: ${root}/environments/production/manifests/site.pp, line: 7, column: 14) on node bad`,
    ]);
    expect(exitCode).toBe(1);
  });

  it.each<[string, Partial<CompileCommand>, readonly string[]]>([
    ['by default', {}, ['Notice', 'Warning', 'Error', 'Alert']],
    ['with --verbose', { verbose: true }, ['Info', 'Notice', 'Warning', 'Error', 'Alert']],
    ['with --debug', { debug: true, verbose: true }, ['Debug', 'Info', 'Notice', 'Warning', 'Error', 'Alert']],
  ])('logs %s what puppet logs', (_, change, levels) => {
    expect(run('loud', change).log).toEqual(
      levels.map((level) => `${level}: Scope(Node[loud]): ${level[0]?.toLowerCase()}`),
    );
  });

  it('changes settings', () => {
    expect(run('strict').exitCode).toBe(1);
    expect(run('strict', { set: ['strict_variables=false', 'strict=off'] }).exitCode).toBe(0);
  });

  it('explains what was read', () => {
    const { output } = run('ok', { explain: true });
    expect(output).toMatch(/^Facts:\n(.*\n)* {2}role: value [0-9a-f]{12}\n/);
    expect(output).toMatch(
      /\nTrusted facts:\n {2}authenticated: value [0-9a-f]{12}\n {2}certname: value [0-9a-f]{12}\n\n/,
    );
    expect(output).toMatch(/\n {2}environments\/production\/manifests\/site\.pp: content [0-9a-f]{12}\n/);
    expect(output).toMatch(/\nLooked for and not found:\n {2}environments\/production\/environment\.conf\n/);
    expect(output).toContain('\nCollectors:\n  Notify ["tag","==","x"]\n');
    expect(output).toContain('\nVolatile functions:\n  (none)\n');
  });

  it.each<[string, Partial<CompileCommand>, RegExp]>([
    ['facts that are not there', { facts: 'none.json' }, /^cannot read the facts: ENOENT.*none\.json'$/],
    ['unparsable facts', { facts: 'unparsable.json' }, /^cannot parse the facts in .*unparsable\.json: /],
    ['facts that are a list', { facts: 'list.json' }, /^the facts in .*list\.json must be a JSON object$/],
    ['exports without certname', { exports: 'nameless.json' }, /^resource 1 in .*nameless\.json has no certname$/],
    [
      'exports that are no list',
      { exports: 'plain.json' },
      /^the exports in .*plain\.json must be a list of resources$/,
    ],
    [
      'an unknown setting',
      { set: ['color=red'] },
      /^cannot set 'color=red': the settings are language=puppet-8\|openvox-8\|openvox-9, strict=off\|warning\|error, /,
    ],
    ['a setting that is no boolean', { set: ['tasks=1'] }, /^cannot set 'tasks=1': the value must be true or false$/],
    [
      'an unknown environment',
      { environment: 'nope' },
      /^Could not find a directory environment named 'nope' anywhere in the path: .*\/environments\. Does the directory exist\?$/,
    ],
    [
      'a broken environment.conf',
      { environment: 'broken' },
      /^Could not match line what is this \(file: .*\/environments\/broken\/environment\.conf, line: 1\)$/,
    ],
  ])('refuses %s', (_, change, message) => {
    expect(() => run('ok', change)).toThrow(message);
  });
});
