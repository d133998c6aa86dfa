import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const BIOME = join(ROOT, 'node_modules/.bin/biome');
const UNFORMATTED = '{"a":1,   "b":2}';

let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'understudy-checkout-'));
  for (const name of ['biome.json', '.gitignore']) copyFileSync(join(ROOT, name), join(checkout, name));
});
afterEach(() => rmSync(checkout, { recursive: true }));

function check(...paths: readonly string[]) {
  for (const path of paths) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), UNFORMATTED);
  }
  return spawnSync(BIOME, ['check', '.'], { cwd: checkout, encoding: 'utf8' });
}

it.each([
  '.understudy/agents/web01.example.com/var/client_data/catalog/web01.example.com.json',
  'cdk.out/manifest.json',
  'coverage/coverage.json',
  'data/nodes.json',
  'dist/app/package.json',
  'node_modules/.cache/understudy/start.json',
  'screenshots/index.json',
  'shared/console/node_modules/x.json',
])('the check of the sources ignores %s, which git ignores', (path) => {
  const { status, stdout } = check('test/fixtures/x.json', path);
  expect([status, stdout.split('\n')[0]]).toEqual([0, expect.stringMatching(/^Checked 1 file /)]);
});

it('reads all other files', () => {
  expect(check('shared/x.json').status).toBe(1);
});
