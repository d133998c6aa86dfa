import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { ROOT } from './root-folder.ts';

const PACKAGES = 'node_modules/';

interface SourceMap {
  readonly sources: readonly string[];
}

/**
 * Rewrites the source maps in a bundle so that they name sources from the root of the repository,
 * wherever it and the bundle are. The same sources then give the same asset, and a deploy of
 * unchanged code keeps warm functions.
 */
export function makeSourcesPortable(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.map'))) {
    const path = join(folder, name);
    const map: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isSourceMap(map)) throw new Error(`${path} is no source map`);
    const sources = map.sources.map((source) => makePortable(source, folder));
    writeFileSync(path, JSON.stringify({ ...map, sources }));
  }
}

function makePortable(source: string, folder: string): string {
  const path = relative(ROOT, resolve(folder, source)).split(sep).join('/');
  const packages = path.indexOf(PACKAGES);
  return packages === -1 ? path : path.slice(packages);
}

function isSourceMap(value: unknown): value is SourceMap {
  return typeof value === 'object' && value !== null && 'sources' in value && Array.isArray(value.sources);
}
