import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { orderBuiltInTask } from '../../shared/orchestrator/jobs/built-in-tasks.ts';
import { runPlanSource } from '../shared/orchestrator/plan-language/run-plan-source.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-apply-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A tar archive of one file. */
function tarOf(path: string, text: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(path, 0);
  header.write('0000644\0', 100);
  header.write(`${Buffer.byteLength(text).toString(8).padStart(11, '0')}\0`, 124);
  header.write('0'.repeat(11), 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
  body.write(text);
  return gzipSync(Buffer.concat([header, body, Buffer.alloc(1024)]));
}

/** Runs a built-in task as an agent does. */
function runTask(name: string, params: object, isNoop = false) {
  const order = orderBuiltInTask(1, { name }, { ...params }, isNoop);
  const { input, files } = order.params as { input: object; files: readonly { filename: string; sha256: string }[] };
  for (const [index, { filename }] of files.entries()) {
    const place = join(folder, filename.includes('/') ? filename : `apply_helpers/tasks/${filename}`);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, order.files[index]?.bytes ?? '', { mode: 0o750 });
  }
  const script = join(folder, 'apply_helpers/tasks', files[0]?.filename ?? '');
  const environment = { ...process.env, PT__installdir: folder };
  const text = JSON.stringify({ ...input, _installdir: folder });
  const { status, stdout } = spawnSync('/bin/sh', [script], { input: text, env: environment, encoding: 'utf8' });
  // biome-ignore lint/suspicious/noExplicitAny: tests compare parts of JSON.
  const result: any = JSON.parse(stdout);
  return { status, result };
}

it('applies the catalog and the plugins of a block of a plan', () => {
  const source = {
    plan: 't',
    files: {
      't/plans/init.pp': `plan t(String $folder) {
        get_target('n1').add_facts({ 'motto' => 'of the node' })
        apply('n1') {
          file { "\${folder}/made": content => Sensitive("\${facts['motto']}") }
          -> file { "\${folder}/copied": source => 'puppet:///modules/demo/text' }
          -> notify { 'done': message => 'all is there' }
        }
      }`,
      'demo/files/text': 'of the module',
      'demo/lib/facter/demo.rb': "Facter.add(:demo) { setcode { 'here' } }\n",
    },
    params: { folder },
  };
  const { host, status } = runPlanSource(source);
  expect(status).toBe('success');
  const [sent] = host.applied;
  const { status: code, result } = runTask('apply_helpers::apply_catalog', sent ?? {});
  expect([code, result.status]).toEqual([0, 'changed']);
  expect(['made', 'copied'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
    'of the node',
    'of the module',
  ]);
  expect(runTask('apply_helpers::custom_facts', sent ?? {}).result).toMatchObject({ demo: 'here' });
});

const plugins = tarOf('demo/lib/facter/demo.rb', "Facter.add(:demo) { setcode { 'here' } }\n").toString('base64');

it('apply_helpers::custom_facts prints the facts, with those of plugins', () => {
  const { status, result } = runTask('apply_helpers::custom_facts', { plugins });
  expect(status).toBe(0);
  expect(result).toMatchObject({ demo: 'here', kernel: 'Linux' });
});

it('apply_helpers::query_resources prints resources as they are', () => {
  const { status, result } = runTask('apply_helpers::query_resources', { resources: ['User[root]', 'user'], plugins });
  expect(status).toBe(0);
  expect(result.resources[0]).toMatchObject({ type: 'User', title: 'root', parameters: { uid: 0 } });
  expect(result.resources.length).toBeGreaterThan(2);
});

it('apply_helpers::apply_catalog applies a catalog, and prints the report', () => {
  const path = join(folder, 'made');
  const file = { type: 'File', title: path, tags: ['file'], exported: false, parameters: { content: 'x' } };
  const catalog = { name: 'a', version: 1, environment: 'production', resources: [file], edges: [], classes: [] };
  const { status, result } = runTask('apply_helpers::apply_catalog', { catalog, plugins });
  expect(status).toBe(0);
  expect(result).toMatchObject({ status: 'changed', resource_statuses: { [`File[${path}]`]: { changed: true } } });
  expect(result.metrics.resources.values).toContainEqual(['changed', 'Changed', 1]);
  expect(readFileSync(path, 'utf8')).toBe('x');
});
