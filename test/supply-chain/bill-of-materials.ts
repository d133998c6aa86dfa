import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../../shared/puppet/ruby/wasm/image-folder.ts';
import { imageName } from '../../shared/puppet/ruby/wasm/wasm-image.ts';
import { imageKey, moduleName, sideFiles } from '../../shared/puppet/ruby/wasm/wasm-module.ts';
import { listProductionPackages } from './production-packages.ts';

/** A component of a CycloneDX document, as far as this is read here. */
export interface BomComponent {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version?: string;
  readonly licenses?: readonly unknown[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly externalReferences?: readonly { readonly type: string }[];
}

export interface BillOfMaterials {
  readonly bomFormat: string;
  readonly metadata: { readonly component: BomComponent };
  readonly components: readonly BomComponent[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RUBY_PACKAGE = '@ruby/3.2-wasm-wasi';
const LARGEST_OUTPUT = 16 << 20;

/**
 * Makes the software bill of materials in CycloneDX: the production packages of package-lock.json,
 * by npm and without a network, and the files that are made of them here. Ruby's module is made of
 * `ruby.wasm`; its image is made of the module and the Ruby side, `shared/puppet/ruby/side`. The
 * files are listed when they exist (the first use of Ruby makes them), each with its digest.
 */
export function makeBillOfMaterials(): BillOfMaterials {
  // With --omit dev, npm leaves out what production and development packages both need.
  const flags = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--offline'];
  const text = execFileSync('npm', flags, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: LARGEST_OUTPUT,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const document = withoutDevelopment(JSON.parse(text));
  const { component } = document.metadata;
  // npm takes the name of the folder.
  const metadata = { ...document.metadata, component: { ...component, name: 'understudy' } };
  const ruby = document.components.find(({ name }) => name === RUBY_PACKAGE);
  if (ruby === undefined) throw new Error(`package-lock.json has no ${RUBY_PACKAGE}`);
  const { components, dependencies } = describeRubyFiles(ruby['bom-ref']);
  return {
    ...document,
    metadata,
    components: [...document.components, ...components],
    dependencies: [...document.dependencies, ...dependencies],
  };
}

/** Keeps the components of production and their dependencies. */
function withoutDevelopment(document: BillOfMaterials): BillOfMaterials {
  const production = new Set(listProductionPackages().map(({ name, version }) => `${name}@${version}`));
  const components = document.components.filter(({ name, version }) => production.has(`${name}@${version}`));
  const refs = new Set([...components, document.metadata.component].map((one) => one['bom-ref']));
  const dependencies = document.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));
  return { ...document, components, dependencies };
}

function describeRubyFiles(packageRef: string): Pick<BillOfMaterials, 'components' | 'dependencies'> {
  const require = createRequire(import.meta.url);
  const wasm = describeFile('ruby.wasm', readFileSync(require.resolve(`${RUBY_PACKAGE}/dist/ruby.wasm`)));
  const sources = sideFiles();
  const side = describeFile('shared/puppet/ruby/side', joinSources(sources));
  const folder = cacheFolder();
  const read = (name: string) => {
    const path = folder && join(folder, name);
    return path !== null && existsSync(path) ? [describeFile(name, readFileSync(path))] : [];
  };
  const modules = read(moduleName());
  const images = read(imageName(imageKey(sources)));
  const refs = (some: readonly BomComponent[]) => some.map((one) => one['bom-ref']);
  return {
    components: [wasm, side, ...modules, ...images],
    dependencies: [
      ...refs([wasm]).map((ref) => ({ ref, dependsOn: [packageRef] })),
      ...refs(modules).map((ref) => ({ ref, dependsOn: refs([wasm]) })),
      ...refs(images).map((ref) => ({ ref, dependsOn: [...refs(modules), ...refs([side])] })),
    ],
  };
}

/** The digest of the Ruby side covers the names of its files, their lengths and contents. */
function joinSources(sources: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const files = [...sources].sort(([one], [other]) => (one < other ? -1 : 1));
  return Buffer.concat(files.flatMap(([path, bytes]) => [Buffer.from(`\0${path}\0${bytes.length}\0`), bytes]));
}

function describeFile(name: string, bytes: Uint8Array): BomComponent {
  const content = createHash('sha256').update(bytes).digest('hex');
  return { 'bom-ref': `file:${name}`, type: 'file', name, hashes: [{ alg: 'SHA-256', content }] };
}
