import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findBuiltInTask, orderBuiltInTask } from '../../../../shared/orchestrator/jobs/built-in-tasks.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-uploads-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Download {
  readonly filename: string;
  readonly sha256: string;
}

/** Runs the task of an upload as an agent does: its files side by side, parameters as variables. */
function upload(params: Readonly<Record<string, unknown>>, content: Buffer) {
  const task = findBuiltInTask('bolt_shim::upload', 'production');
  if (task === null) throw new Error('there is no such task');
  const order = orderBuiltInTask(1, task, { ...params, content: content.toString('base64') }, false);
  const installed = mkdtempSync(join(folder, 'task-'));
  const downloads = order.params.files as readonly Download[];
  for (const { filename, sha256 } of downloads) {
    const file = join(installed, filename);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, order.files.find((one) => one.sha256 === sha256)?.bytes ?? '');
  }
  const input = Object.entries({ ...(order.params.input as object), _installdir: installed });
  const variables = Object.fromEntries(input.map(([name, value]) => [`PT_${name}`, String(value)]));
  const script = join(installed, downloads.find(({ filename }) => filename.endsWith('.sh'))?.filename ?? '');
  return spawnSync('sh', [script], { env: { ...process.env, ...variables }, input: '{}', encoding: 'utf8' });
}

describe('an upload', () => {
  // Bolt sends st_mode: 0100644 is a plain file with the mode 0644.
  it.each([
    [0o100640, 0o640],
    [0o755, 0o755],
    [0o104750, 0o4750],
  ])('with the mode %o gives the file the mode %o', (mode, expected) => {
    const path = join(folder, `file-${mode}`);
    const content = Buffer.from([0, 255, 10, 13, 0]);
    const ended = upload({ path, mode, directory: false }, content);
    expect([ended.status, ended.stderr, ended.stdout]).toEqual([0, '', '{"success": true}\n']);
    expect(readFileSync(path)).toEqual(content);
    expect(statSync(path).mode & 0o7777).toBe(expected);
  });

  it('to a place that is a folder fails, and writes nothing into it', () => {
    const path = join(folder, 'a-folder');
    mkdirSync(path);
    const ended = upload({ path, directory: false }, Buffer.from('x'));
    expect(ended.status).not.toBe(0);
    expect(statSync(join(path, 'content'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('of a folder is unpacked', () => {
    const source = join(folder, 'source');
    mkdirSync(join(source, 'sub'), { recursive: true });
    writeFileSync(join(source, 'sub/file'), 'text\n');
    const { stdout: packed } = spawnSync('tar', ['-czf', '-', '-C', source, '.'], { encoding: 'buffer' });
    const path = join(folder, 'unpacked/here');
    expect(upload({ path, mode: 0o40755, directory: true }, packed).status).toBe(0);
    expect(readFileSync(join(path, 'sub/file'), 'utf8')).toBe('text\n');
  });
});
