/**
 * Compiles nodes of a control repo here and with real Puppet, each side in one process for all of
 * them.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ExportedResource } from '../../shared/puppet/catalog/exported.ts';
import { compile } from '../../shared/puppet/compiler/compile.ts';
import { ParseCache } from '../../shared/puppet/compiler/manifest-parser.ts';
import {
  type PreparedResourceTypes,
  prepareResourceType,
  typeDefinitionFiles,
} from '../../shared/puppet/compiler/resource-types/prepared-resource-types.ts';
import { openUnchangingEnvironments } from '../../shared/puppet/environment/directory-environment.ts';
import { Inputs, NO_RECORDER } from '../../shared/puppet/environment/inputs.ts';
import type { LogEntry } from '../../shared/puppet/errors/compile-log.ts';
import type { RubyCallbacks } from '../../shared/puppet/evaluator/ruby-callbacks.ts';
import type { RubyPort, RubySource } from '../../shared/puppet/evaluator/ruby-port.ts';
import { HieraCache } from '../../shared/puppet/hiera/hiera-cache.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { parseJson } from '../../shared/puppet/serialization/json.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';

const run = promisify(execFile);

type Data = Readonly<Record<string, unknown>>;

export interface JudgedNode {
  readonly certname: string;
  readonly facts: Data;
  /** `$trusted`, by default that of a node without extensions. */
  readonly trusted?: Data;
  /** What the external node classifier says. */
  readonly parameters?: Data;
  readonly classes?: Data;
  readonly exports?: readonly ExportedResource[];
}

/** How a compile went; `log` has `level: message` lines without errors. */
export interface NodeOutcome {
  readonly status: string;
  readonly message?: string;
  readonly catalog?: Data;
  readonly log: readonly string[];
  /** What each ERB template gave: its path, and the text. */
  readonly renders: readonly (readonly [path: string, text: string])[];
  /** Of ours: the facts that it read, by their paths as JSON. */
  readonly factsRead?: readonly string[];
}

export interface JudgedJob {
  /** A folder with `environments/production`. */
  readonly codeDirectory: string;
  readonly strict: 'off' | 'warning' | 'error';
  /** By default as `strict` has it: on for `error`. */
  readonly strictVariables?: boolean;
  /** Of ours: whether Ruby runs all templates and functions. Default false. */
  readonly rendersAll?: boolean;
  /** Of ours: what `prepareTypes` gives. By default each compile has its types described. */
  readonly types?: PreparedResourceTypes;
  readonly nodes: readonly JudgedNode[];
}

/** What real Puppet makes of the nodes, by their names. */
export async function compileWithPuppet({
  codeDirectory,
  strict,
  strictVariables = strict === 'error',
  nodes,
}: JudgedJob): Promise<Map<string, NodeOutcome>> {
  const scratch = mkdtempSync(join(tmpdir(), 'understudy-judge-'));
  try {
    const [job, answers] = [join(scratch, 'job.json'), join(scratch, 'answers.jsonl')];
    const settings = {
      codedir: codeDirectory,
      environment: 'production',
      strict,
      strict_variables: strictVariables,
    };
    const asked = nodes.map((node) => ({ ...node, trusted: trustedOf(node) }));
    writeFileSync(job, JSON.stringify({ ...settings, nodes: asked }));
    await run('ruby', [join(import.meta.dirname, 'compile-nodes.rb'), job, answers], { maxBuffer: 1 << 26 });
    const lines = readFileSync(answers, 'utf8').trimEnd().split('\n');
    return new Map(lines.map((line) => JSON.parse(line)).map((outcome) => [outcome.certname, outcome]));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Resource types of the environment as a deployment prepares them, for all compiles. */
export function prepareTypes(codeDirectory: string): PreparedResourceTypes {
  const ruby = createWasmRuby();
  const open = openUnchangingEnvironments(codeDirectory, 'production');
  ruby.beginCompile(codeDirectory);
  const prepared = Array.from(typeDefinitionFiles(open(NO_RECORDER)), ([name, path]) => {
    const inputs = new Inputs();
    const description = prepareResourceType(open(inputs), ruby, name, path);
    const files = Object.entries(inputs.getResult().files);
    const absolute = Object.fromEntries(files.map(([file, state]) => [join(codeDirectory, file), state]));
    return [name, description && { description, files: absolute }] as const;
  });
  ruby.close();
  return new Map(prepared.flatMap(([name, type]) => (type ? [[name, type]] : [])));
}

/** What our compiler makes of the nodes, one after the other with one Ruby, by their names. */
export function compileHere({
  codeDirectory,
  strict,
  strictVariables = strict === 'error',
  rendersAll = false,
  types = new Map(),
  nodes,
}: JudgedJob): Map<string, NodeOutcome> {
  const ruby = createWasmRuby({ rendersAll });
  const shared = { parseCache: new ParseCache(), hieraCache: new HieraCache() };
  const open = openUnchangingEnvironments(codeDirectory, 'production');
  const outcomes = nodes.map((node): [string, NodeOutcome] => {
    const inputs = new Inputs();
    const renders: [string, string][] = [];
    ruby.beginCompile(codeDirectory);
    const result = compile({
      node: {
        certname: node.certname,
        environment: 'production',
        facts: inputs.recordFacts(puppetHash(node.facts)),
        trusted: inputs.recordTrusted(puppetHash(trustedOf(node))),
        serverFacts: puppetHash(SERVER_FACTS),
        parameters: puppetHash(node.parameters ?? {}),
        classes: puppetHash(node.classes ?? {}),
      },
      environment: open(inputs),
      settings: { language: 'puppet-8', strict, strictVariables, tasks: false, storeconfigs: true },
      inputs,
      exportsOf: (type) => (node.exports ?? []).filter((it) => it.type === type && it.certname !== node.certname),
      clock: () => BigInt(Date.now()) * 1_000_000n,
      ...shared,
      preparedTypes: types,
      ruby: recordingRenders(ruby, renders),
    });
    if (result.status === 'needs')
      throw new Error(`exports of ${result.queries.map(({ type }) => type).join(', ')} were asked for again`);
    const log = result.log.filter(isShown).map(({ level, message }) => `${level}: ${message}`);
    if (result.status === 'failed')
      return [node.certname, { status: 'failed', message: result.error.message, log, renders }];
    const factsRead = Object.keys(inputs.getResult().facts);
    return [node.certname, { status: 'ok', catalog: JSON.parse(result.catalog), log, renders, factsRead }];
  });
  ruby.close();
  return new Map(outcomes);
}

/** That Ruby; what its templates give is put into `renders` as well. */
function recordingRenders(ruby: RubyPort, renders: [string, string][]): RubyPort {
  return new Proxy(ruby, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'renderTemplate') return value.bind(target);
      return (template: RubySource, callbacks: RubyCallbacks) => {
        const text = target.renderTemplate(template, callbacks);
        renders.push([template.path, String(text)]);
        return text;
      };
    },
  });
}

const SERVER_FACTS = {
  serverversion: '8.10.0',
  servername: 'puppet',
  serverip: '127.0.0.1',
  environment: 'production',
};

function trustedOf({ certname, trusted }: JudgedNode): Data {
  const [hostname = '', ...domain] = certname.split('.');
  return {
    authenticated: 'remote',
    certname,
    extensions: {},
    hostname,
    domain: domain.join('.'),
    external: {},
    ...trusted,
  };
}

function isShown({ level }: LogEntry): boolean {
  return level !== 'debug' && level !== 'err';
}

function puppetHash(data: Data): PuppetHash {
  const value = parseJson(JSON.stringify(data));
  return value instanceof PuppetHash ? value : new PuppetHash();
}
