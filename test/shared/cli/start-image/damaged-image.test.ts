/**
 * Property: a damaged start image is never run, and a damaged file of compiled code is compiled
 * again. See `test/shared/store/damage.test.ts`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { writeChecksums } from '../../../../shared/cli/start-image/make-start-image.ts';
import { imageFiles } from '../../../../shared/cli/start-image/start-image.ts';
import { damage, TRIES } from '../../../helpers/damage.ts';

const COMMAND = join(import.meta.dirname, '..', '..', '..', '..', 'functions', 'understudy');
const DAMAGED = 'understudy: the start image is damaged; this command starts from the sources\n';
const parent = mkdtempSync(join(tmpdir(), 'understudy-damaged-image-'));
afterAll(() => rmSync(parent, { recursive: true }));

/** A project whose Node prints its arguments, with an image. */
function makeProject(): string {
  const root = join(parent, 'project');
  const files = imageFiles(root);
  const bin = join(root, 'node_modules', '.bin');
  const node = join(bin, 'node');
  for (const folder of [join(root, 'functions'), bin, files.folder]) mkdirSync(folder, { recursive: true });
  cpSync(COMMAND, join(root, 'functions', 'understudy'));
  writeFileSync(join(root, 'functions', 'cli.ts'), '');
  writeFileSync(node, '#!/bin/sh\nprintf "%s " "$@"\n', { mode: 0o755 });
  for (const path of [files.nodeTime, files.folderTime]) writeFileSync(path, '');
  for (const path of [node, bin, files.nodeTime, files.folderTime]) utimesSync(path, 1, 1);
  writeFileSync(files.blob, Buffer.from(Array.from({ length: 9000 }, (_, index) => index % 251)));
  writeFileSync(files.node, `${node}\n${root}\n--flag --other\n`);
  writeChecksums(files);
  return root;
}

it('a start image', () => {
  const root = makeProject();
  const { blob, node, sum } = imageFiles(root);
  const run = () => {
    const { stdout, stderr } = spawnSync(join(root, 'functions', 'understudy'), ['compile'], { encoding: 'utf8' });
    return { stdout, stderr };
  };
  const image = {
    stdout: `--flag --other --snapshot-blob ${root}/functions/../node_modules/.cache/understudy/start.blob -- compile `,
    stderr: '',
  };
  expect(run()).toEqual(image);
  const files = [blob, node, sum].map((path) => [path, readFileSync(path)] as const);
  for (const [path, sound] of files) {
    for (const bytes of damage(sound, TRIES || 20, 13)) {
      for (const [other, content] of files) writeFileSync(other, content);
      writeFileSync(path, bytes);
      const sources = { stdout: `${root}/functions/cli.ts compile `, stderr: DAMAGED };
      expect(run()).toEqual(bytes.equals(sound) ? image : sources);
    }
  }
});

it('compiled code', () => {
  const [source, cache] = [join(parent, 'source.cjs'), join(parent, 'cache')];
  writeFileSync(source, `const answer = () => 41 + 1;\n${'function spare() {}\n'.repeat(50)}console.log(answer());\n`);
  const env = { ...process.env, NODE_COMPILE_CACHE: cache };
  const run = () => execFileSync(process.execPath, [source], { encoding: 'utf8', env });
  expect(run()).toBe('42\n');
  const [version = ''] = readdirSync(cache);
  const [name = ''] = readdirSync(join(cache, version));
  const path = join(cache, version, name);
  const code = readFileSync(path);
  for (const bytes of damage(code, Math.min(TRIES || 3, 100), 17)) {
    writeFileSync(path, bytes);
    expect(run()).toBe('42\n');
  }
});
