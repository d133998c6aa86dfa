import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeRelease } from '../../../../shared/cli/start-image/write-release.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'understudy-release-'));
const app = join(folder, 'node_modules/understudy/dist/app');

beforeAll(() => {
  writeRelease(ROOT, app);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules/understudy/node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the sources of a package', () => {
  it('import nothing that Node does not read below node_modules', () => {
    const scripts = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(1000);
    const left = scripts.filter((name) =>
      /(from|import\(?|URL\() ?'\.[^']*\.ts'/.test(readFileSync(join(app, name), 'utf8')),
    );
    expect(left).toEqual([]);
  });

  it('keep their lines and their other files', () => {
    const lines = (path: string) => readFileSync(path, 'utf8').split('\n').length;
    expect(lines(join(app, 'functions/commands.js'))).toBe(lines(join(ROOT, 'functions/commands.ts')));
    for (const path of ['shared/puppet/ruby/side', 'examples/control-repo', 'shared/console/client/main.tsx']) {
      expect(existsSync(join(app, path))).toBe(true);
    }
  });

  it('run', () => {
    const args = [
      'compile',
      'web01.example.com',
      '--control-repo',
      'examples/control-repo',
      '--facts',
      'examples/facts.json',
    ];
    const printed = execFileSync(process.execPath, ['functions/cli.js', ...args], { cwd: app, encoding: 'utf8' });
    expect(JSON.parse(printed)).toMatchObject({ name: 'web01.example.com', environment: 'production' });
  });
});
