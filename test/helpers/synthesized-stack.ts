/**
 * One `cdk synth` for all tests of the infrastructure, with every operator setting set and all code
 * bundled. The result is cached below `node_modules/.cache` under a digest of its sources, so that
 * a later run with the same sources needs no synth.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Template } from 'aws-cdk-lib/assertions';
import { makeOnce } from './make-once.ts';

export interface SynthesizedStack {
  readonly template: Template;
  /** Folders of the bundled code, by the logical id of the function. */
  readonly functions: Readonly<Record<string, string>>;
  /** The build context of the edge's image. */
  readonly image: string;
  /** The hashes of all code, sorted: a deploy replaces what has another one. */
  readonly assets: readonly string[];
  /** The operator's files by name, as given to the stack. */
  readonly operatorFiles: Readonly<Record<string, string>>;
}

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'understudy-synth');
const SOURCES = ['infra', 'functions', 'shared', 'cdk.json', 'package.json', 'package-lock.json'];
/** The age in milliseconds at which another cached stack may be deleted. */
const KEPT_MS = 3600 * 1000;

const OPERATOR_FILES = {
  'auth.conf': 'authorization { version: 1, rules: [] }',
  'mapping.yaml': '',
  'cert.pem': '',
  'ca.pem': '',
} as const;

/**
 * Returns all operator settings except bounds, whose defaults are tested. Files are in `folder`.
 */
function settingsOf(folder: string): Readonly<Record<string, unknown>> {
  const file = (name: keyof typeof OPERATOR_FILES) => join(folder, name);
  return {
    serverName: 'puppet.example.com',
    compileTimeLimit: 60,
    eyamlKeys: { EYAML_KEY: 'puppet/eyaml' },
    alertUrlSecret: 'puppet/alerts',
    authorityName: 'Example CA',
    autosign: ['*.example.com'],
    allowSubjectAltNames: true,
    allowAuthorizationExtensions: true,
    authConf: file('auth.conf'),
    trustedOidMapping: file('mapping.yaml'),
    upstream: {
      url: 'https://ca.example.com:8140',
      certificate: file('cert.pem'),
      trusted: file('ca.pem'),
      keySecret: 'puppet/tls-key',
    },
    compilerUpstream: { url: 'https://puppet:8140', trusted: file('ca.pem') },
  };
}

/** Returns the whole context. Files are in `folder`. */
function contextOf(folder: string): Readonly<Record<string, unknown>> {
  return {
    'understudy:settings': settingsOf(folder),
    'understudy:operations': { probe: { certname: 'probe.example.com', secret: 'puppet/probe' } },
    'understudy:inventory': true,
    'understudy:api': {
      deploys: true,
      agents: {
        domain: 'agents.example.com',
        certificate: 'arn:aws:acm:us-east-1:111111111111:certificate/a',
        trustStore: join(folder, 'ca.pem'),
      },
    },
  };
}

/**
 * Returns the stack as `cdk synth` writes it. Its folders are shared: a test that changes a file
 * must copy the folder.
 */
export async function synthesizedStack(): Promise<SynthesizedStack> {
  const folder = join(CACHE, digestOfSources());
  await makeOnce(folder, (draft) => {
    discardOld();
    return synthesize(ROOT, draft);
  });
  return readStack(join(folder, 'output'));
}

/** Synthesizes the repository in `root` into `folder`/output, with `variables` for the CDK. */
async function synthesize(root: string, folder: string, variables: NodeJS.ProcessEnv = {}): Promise<void> {
  const operator = join(folder, 'operator');
  mkdirSync(operator, { recursive: true });
  for (const [name, text] of Object.entries(OPERATOR_FILES)) writeFileSync(join(operator, name), text);
  const contexts = Object.entries(contextOf(operator)).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const given = contexts.flatMap((context) => ['--context', context]);
  const synth = ['synth', '--quiet', '--output', join(folder, 'output'), ...given];
  // The deployer's umask may be strict: no asset may depend on it.
  const script = 'umask 077; exec "$0" "$@"';
  await run('sh', ['-c', script, join(root, 'node_modules', '.bin', 'cdk'), ...synth], {
    cwd: root,
    maxBuffer: 1 << 26,
    env: { ...process.env, ...variables },
  });
}

/**
 * Synthesizes a copy of the sources in `folder`, which must not exist. Its template, which is that
 * of the stack, is not checked again.
 */
export async function synthesizeCopy(folder: string): Promise<SynthesizedStack> {
  for (const source of SOURCES) cpSync(join(ROOT, source), join(folder, source), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await synthesize(folder, join(folder, 'synthesized'), { CDK_VALIDATION: 'false' });
  return readStack(join(folder, 'synthesized', 'output'));
}

function digestOfSources(): string {
  const hash = createHash('sha256')
    .update(process.version)
    .update(readFileSync(import.meta.filename));
  for (const source of SOURCES.flatMap(filesOf)) {
    hash.update(`\0${source}\0`).update(readFileSync(join(ROOT, source)));
  }
  return hash.digest('hex').slice(0, 32);
}

function filesOf(source: string): readonly string[] {
  if (!statSync(join(ROOT, source)).isDirectory()) return [source];
  return readdirSync(join(ROOT, source), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort();
}

function discardOld(): void {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

interface AssetManifest {
  readonly files: Readonly<Record<string, { readonly source: { readonly path: string } }>>;
  readonly dockerImages: Readonly<Record<string, { readonly source: { readonly directory: string } }>>;
}

function readStack(output: string): SynthesizedStack {
  const read = (name: string) => JSON.parse(readFileSync(join(output, name), 'utf8'));
  const template = Template.fromJSON(read('Understudy.template.json'));
  const functions = Object.entries(template.findResources('AWS::Lambda::Function')).flatMap(([id, { Metadata }]) => {
    const asset = Metadata?.['aws:asset:path'];
    return typeof asset === 'string' ? [[id, join(output, asset)] as const] : [];
  });
  const manifest: AssetManifest = read('Understudy.assets.json');
  const [image] = Object.values(manifest.dockerImages);
  if (!image) throw new Error('the stack has no image');
  const code = Object.entries(manifest.files).filter(([, { source }]) => !source.path.endsWith('.json'));
  return {
    template,
    functions: Object.fromEntries(functions),
    image: join(output, image.source.directory),
    assets: [...code.map(([hash]) => hash), ...Object.keys(manifest.dockerImages)].sort(),
    operatorFiles: OPERATOR_FILES,
  };
}
