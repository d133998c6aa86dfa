import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-run-program-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('ends quietly when nobody reads its output any more', () => {
  const manifest = join(folder, 'long.pp');
  writeFileSync(manifest, "notice('x')\n".repeat(20_000));
  const command = `"${process.execPath}" functions/cli.ts parse "${manifest}" | head -c 5`;
  const { stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  expect([stdout.length, stderr]).toEqual([5, '']);
});

it('tells errors that a user can mend by their message', () => {
  const options = { stdio: 'pipe', env: {}, cwd: folder } as const;
  const run = () => execFileSync(process.execPath, [resolve('functions/cli.ts'), 'code', 'list'], options);
  expect(run).toThrow(
    "understudy: neither --data nor UNDERSTUDY_NODES_TABLE is set, and this folder has no '.understudy'\n",
  );
});
