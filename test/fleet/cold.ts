import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { processCompileJob } from '../../shared/fleet/compiles/process-compile-job.ts';
import type { WorkerContext } from '../../shared/fleet/compiles/worker-context.ts';
import { DependencyCache } from '../../shared/fleet/dependencies/dependency-cache.ts';
import { storeFacts } from '../../shared/fleet/facts/facts-blob.ts';
import { SnapshotCache } from '../../shared/fleet/snapshots/snapshot-cache.ts';
import { compile } from '../../shared/puppet/compiler/compile.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../shared/puppet/compiler/default-settings.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import type { BlobStore } from '../../shared/store/ports/blob-store.ts';
import { deployFolder } from '../helpers/deploy-folder.ts';
import { MemoryBlobs } from '../helpers/memory-stores.ts';

/** One measured figure. */
export interface Measurement {
  readonly measure: string;
  readonly value: number;
  readonly unit: string;
}

const NODE = 'cold.example.com';
/** The share of files in modules; the others are data. */
const MODULE_SHARE = 0.9;
const FILES_A_MODULE = 60;
/** Every so many modules are included by the node. */
const INCLUDED = 10;

/**
 * Counts the blobs that a cold worker reads for its first compile of a node, in environments of so
 * many files.
 */
export async function measureColdCompiles(sizes: readonly number[]): Promise<readonly Measurement[]> {
  const measured: Measurement[] = [];
  for (const size of sizes) {
    measured.push({ measure: `cold.gets.${size}`, value: (await readCold(size)).length, unit: 'requests' });
  }
  return measured;
}

/** Keys of the blobs that a cold worker reads for its first compile, in order. */
export async function readCold(files: number): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-cold-'));
  const blobs = new MemoryBlobs({ now: () => Date.now() });
  const stores: EmbeddedStores = { ...openEmbeddedStores(join(directory, 'data')), blobs };
  try {
    writeFiles(join(directory, 'repo'), generateFiles(files));
    await deployFolder(stores, join(directory, 'repo'), 'production', 'test');
    // Once by another worker, so that the node has a dependency set to be prefetched.
    for (const change of ['first', 'second']) {
      const read: string[] = [];
      const outcome = await compileCold(stores, countReads(blobs, read), change);
      if (outcome !== 'compiled') {
        const { failure } = (await stores.nodes.get(NODE)) ?? {};
        throw new Error(`the node was not compiled: ${outcome}, ${failure?.message}`);
      }
      if (change === 'second') return read;
    }
    throw new Error('invariant: there are two compiles');
  } finally {
    stores.close();
    rmSync(directory, { recursive: true });
  }
}

async function compileCold(stores: EmbeddedStores, blobs: BlobStore, role: string): Promise<string> {
  const snapshots = new SnapshotCache(blobs);
  const context: WorkerContext = {
    stores: { ...stores, blobs },
    snapshots,
    dependencies: new DependencyCache(blobs, snapshots.parsed.data),
    compile,
    settings: DEFAULT_COMPILE_SETTINGS,
    server: { name: 'puppet', ip: '127.0.0.1', release: '0' },
    limitMs: 60_000,
  };
  const now = stores.clock.now();
  const facts = { facts: PuppetHash.of([['role', role]]), trusted: PuppetHash.of([['certname', NODE]]) };
  const pointer = await storeFacts(stores.blobs, facts, now);
  const seen = await stores.nodes.markSeen(NODE, 'production', now);
  const change = { environment: 'production', facts: pointer, asked: true, waiting: true, expected: seen.wanted };
  const node = await stores.nodes.want(NODE, 'test', now, change);
  const job = { certname: NODE, generation: node?.wanted ?? 0, reason: 'test', at: now };
  return (await processCompileJob(job, context)).outcome;
}

/** Notes the key of each blob that is read, whole or as a stream. */
function countReads(blobs: BlobStore, read: string[]): BlobStore {
  return new Proxy(blobs, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (key: string, ...more: readonly unknown[]) => {
        if (name === 'get' || name === 'stream') read.push(key);
        return method.apply(target, [key, ...more]);
      };
    },
  });
}

/** An environment of so many files: modules of manifests, templates, Ruby and files, and data. */
function generateFiles(count: number): ReadonlyMap<string, string> {
  const modules = Math.floor((count * MODULE_SHARE) / FILES_A_MODULE);
  const files = new Map<string, string>();
  files.set('hiera.yaml', HIERA);
  const included = Array.from(
    { length: Math.ceil(modules / INCLUDED) },
    (_, index) => `include part${index * INCLUDED}\n`,
  );
  files.set('manifests/site.pp', `notify { "\${facts['role']} \${lookup('motto')}": }\n${included.join('')}`);
  files.set('data/common.yaml', 'motto: cold\n');
  for (let module = 0; module < modules; module += 1) addModule(files, `part${module}`);
  for (let node = 0; files.size < count; node += 1) files.set(`data/nodes/n${node}.yaml`, `n${node}::key: ${node}\n`);
  return files;
}

const HIERA = `version: 5
hierarchy:
  - { name: data, paths: ["nodes/%{trusted.certname}.yaml", common.yaml], datadir: data, data_hash: yaml_data }
`;

function addModule(files: Map<string, string>, name: string): void {
  const root = `modules/${name}`;
  const metadata = {
    name: `test-${name}`,
    version: '1.0.0',
    author: 'test',
    license: 'MIT',
    summary: name,
    source: '-',
  };
  files.set(`${root}/metadata.json`, JSON.stringify({ ...metadata, dependencies: [] }));
  files.set(
    `${root}/manifests/init.pp`,
    `class ${name} {
  file { '/${name}': content => epp('${name}/page1.epp', { 'x' => ${name}::twice(2) }) }
  notify { "${name}": message => file('${name}/page1.txt', '${name}/page2.txt') }
  notify { "${name} other": message => file('${name}/page3.txt') }
}\n`,
  );
  files.set(`${root}/functions/twice.pp`, `function ${name}::twice($x) { $x * 2 }\n`);
  for (let index = 1; index <= 20; index += 1) {
    files.set(`${root}/manifests/part${index}.pp`, `# ${'x'.repeat(index * 300)}\nclass ${name}::part${index} { }\n`);
  }
  for (let index = 1; index <= 8; index += 1) {
    files.set(`${root}/templates/page${index}.epp`, `<%- | $x | -%>\n${name} ${index} <%= $x %>\n`);
    files.set(`${root}/files/page${index}.txt`, `${name} ${index}\n`);
    files.set(`${root}/lib/puppet/provider/${name}/p${index}.rb`, `# ${name} ${index}\n`);
    files.set(`${root}/spec/classes/part${index}_spec.rb`, `# ${name} ${index}\n`);
  }
  for (let index = 1; files.size % FILES_A_MODULE !== 3; index += 1)
    files.set(`${root}/docs/page${index}.md`, `${index}\n`);
}

function writeFiles(repo: string, files: ReadonlyMap<string, string>): void {
  const folders = new Set<string>();
  for (const [path, text] of files) {
    const file = join(repo, 'environments/production', path);
    if (!folders.has(dirname(file))) mkdirSync(dirname(file), { recursive: true });
    folders.add(dirname(file));
    writeFileSync(file, text);
  }
}
