import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleScript } from '../../infra/bundles.ts';
import { writeRuby } from '../../infra/function.ts';
import type { Strictness } from '../../shared/config/strictness.ts';
import { scanEnvironment } from '../../shared/fleet/code/scan-environment.ts';
import { prepareTypes, printPreparedTypes } from '../../shared/fleet/snapshots/prepare-types.ts';
import { snapshotBlob, storePacks, typesBlob } from '../../shared/fleet/snapshots/snapshot-blobs.ts';
import { codeIdOf, printManifest } from '../../shared/fleet/snapshots/snapshot-manifest.ts';
import { contentBlob } from '../../shared/fleet/snapshots/stored-content.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { EmbeddedBlobStore } from '../../shared/store/embedded/blob-store.ts';
import { cpuOfProcess, median } from './measure.ts';
import { repoNodes } from './node-compiler.ts';
import { type Row, row } from './table.ts';

const ENTRY = join(import.meta.dirname, 'cold-entry.ts');
const PUPPET = join(import.meta.dirname, 'puppet.rb');
const RUNS = 7;
const PUPPET_RUNS = 3;

/**
 * Measures the CPU time of new processes that compile one node of a control repo each, from stored
 * packs and with a bundle as AWS has it, beside that of a process of Puppet. `report` takes the
 * names of nodes that do not compile.
 */
export async function coldRows(
  repo: string,
  strictness: Strictness,
  report: (line: string) => void,
): Promise<readonly Row[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'understudy-bench-cold-'));
  try {
    const store = join(scratch, 'store');
    const codeId = await storeCode(repo, store);
    const bundle = join(scratch, 'bundle');
    bundleScript(ENTRY, join(bundle, 'index.mjs'));
    writeRuby(bundle);
    return repoNodes(repo).flatMap(({ certname }) => {
      const facts = join(repo, 'facts', `${certname}.json`);
      const args = [join(bundle, 'index.mjs'), store, codeId, certname, facts, JSON.stringify(strictness)];
      const ours = medianOf(RUNS, process.execPath, args);
      if (ours === null) report(`${certname} does not compile`);
      return ours === null
        ? []
        : [row(`${certname}, cold process`, 'ms', ours, timePuppet(scratch, repo, certname, strictness), 'worse')];
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Stores the environment `production` as a deploy does, and returns its code id. */
async function storeCode(repo: string, store: string): Promise<string> {
  mkdirSync(store, { mode: 0o700 });
  const { snapshot, sources } = await scanEnvironment(repo, 'production', { followLinks: true });
  const blobs = new EmbeddedBlobStore(store);
  const codeId = codeIdOf(snapshot);
  const read = (sha256: string) => readFileSync(sources.get(sha256) ?? '');
  const packs = await storePacks(snapshot, async (sha256) => read(sha256), blobs);
  for (const sha256 of sources.keys()) await blobs.put(contentBlob(sha256), read(sha256));
  await blobs.put(snapshotBlob(codeId), await printManifest(snapshot, packs));
  const ruby = createWasmRuby();
  await blobs.put(typesBlob(codeId), printPreparedTypes(prepareTypes(snapshot, codeId, read, ruby, new Map())));
  ruby.close();
  return codeId;
}

/** Null without Puppet, or when the node does not compile there. */
function timePuppet(scratch: string, repo: string, certname: string, strictness: Strictness): number | null {
  const alone = mkdtempSync(join(scratch, 'node-'));
  mkdirSync(join(alone, 'facts'));
  symlinkSync(realpathSync(join(repo, 'environments')), join(alone, 'environments'));
  symlinkSync(realpathSync(join(repo, 'facts', `${certname}.json`)), join(alone, 'facts', `${certname}.json`));
  const settings = { strict: strictness.strict, strict_variables: strictness.strictVariables };
  return medianOf(PUPPET_RUNS, 'ruby', [PUPPET, 'nodes', alone, '1', JSON.stringify(settings)]);
}

/** The median of CPU milliseconds; null when the command fails or is not there. */
function medianOf(runs: number, command: string, args: readonly string[]): number | null {
  try {
    return median(Array.from({ length: runs }, () => cpuOfProcess(command, args)));
  } catch (error) {
    if (error instanceof Error && 'status' in error) return null;
    throw error;
  }
}
