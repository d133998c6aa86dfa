import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { buildConsole } from '../../../../shared/console/build/build-console.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const MOST_BYTES_GZIPPED = 150_000;

it('bundles the client into few files that name only each other, and keeps the bundle', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'console-'));
  const assets = await buildConsole({ root, cache });
  expect(
    assets.map(({ path, type, isImmutable }) => [path.replace(/-[0-9a-f]{32}\./, '-HASH.'), type, isImmutable]),
  ).toEqual([
    ['index.html', 'text/html; charset=utf-8', false],
    ['icon.svg', 'image/svg+xml', false],
    ['main-HASH.css', 'text/css; charset=utf-8', true],
    ['main-HASH.js', 'text/javascript; charset=utf-8', true],
  ]);
  const page = Buffer.from(assets[0]?.bytes ?? []).toString();
  for (const { path, hash, isImmutable } of assets) expect(path.includes(hash.slice(0, 32))).toBe(isImmutable);
  for (const { path } of assets.slice(1)) expect(page).toContain(`"/console/${path}"`);
  expect(page).not.toMatch(/<script>|<style|style=|\son\w+=|https?:/);
  const sizes = assets.map(({ bytes }) => gzipSync(bytes).byteLength);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES_GZIPPED);

  expect(readdirSync(cache)).toHaveLength(1);
  const again = await buildConsole({ root, cache });
  expect(again.map(({ path, hash }) => [path, hash])).toEqual(assets.map(({ path, hash }) => [path, hash]));
  expect(readdirSync(cache)).toHaveLength(1);
});
