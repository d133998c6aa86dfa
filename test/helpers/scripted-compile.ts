import type { CollectorRecord, ExportedResource } from '../../shared/puppet/catalog/exported.ts';
import type { CompileRequest, CompileResult } from '../../shared/puppet/compiler/compile.ts';
import { matchesFilter } from '../../shared/puppet/compiler/export-filter.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../shared/puppet/types/values/values.ts';
import { canonicalJson } from '../../shared/util/digest.ts';

/**
 * The script of the stand-in for the compiler: `manifests/<certname>.json` in the node's
 * environment. It lets tests cover jobs and the cache without the language.
 */
export interface Script {
  /** Paths of facts to read. */
  readonly facts?: readonly (readonly string[])[];
  readonly trusted?: readonly (readonly string[])[];
  /** Files to read, relative to the environment. */
  readonly files?: readonly string[];
  /** Exports. A parameter `{ "fact": path }` stands for the value of a fact. */
  readonly exports?: readonly Pick<ExportedResource, 'type' | 'title' | 'parameters'>[];
  readonly collects?: readonly Pick<CollectorRecord, 'type' | 'query'>[];
  /** Variables of the node's classification to read. */
  readonly parameters?: readonly string[];
  readonly volatile?: string;
  readonly fail?: string;
  /** Where the failure comes from in the Ruby of modules. */
  readonly backtrace?: readonly string[];
}

export interface ScriptedCompiler {
  readonly compile: (request: CompileRequest) => CompileResult;
  /** Certnames in the order of their compiles, without starts that ended in `needs`. */
  readonly compiled: string[];
}

/**
 * Creates the compiler. The catalog contains what the script read, so that other inputs give
 * another catalog.
 */
export function createScriptedCompiler(): ScriptedCompiler {
  const compiled: string[] = [];
  return { compiled, compile: (request) => runScript(request, compiled) };
}

function runScript(request: CompileRequest, compiled: string[]): CompileResult {
  const { environment, node, inputs } = request;
  const { certname } = node;
  const text = environment.readText(`${environment.root}/manifests/${certname}.json`);
  const script: Script = text === null ? {} : JSON.parse(text);
  const seen: Record<string, unknown> = { name: certname, environment: environment.name };
  for (const path of script.facts ?? []) seen[`fact ${path.join('.')}`] = toPlain(dig(node.facts, path));
  for (const path of script.trusted ?? []) seen[`trusted ${path.join('.')}`] = toPlain(dig(node.trusted, path));
  for (const path of script.files ?? []) seen[path] = environment.readText(`${environment.root}/${path}`);
  for (const name of script.parameters ?? []) seen[`parameter ${name}`] = toPlain(node.parameters.get(name));
  if (script.volatile !== undefined) inputs.recordVolatile(script.volatile);
  const collectors = (script.collects ?? []).map(({ type, query }) => ({ certname, type, query }));
  for (const { type, query } of collectors) {
    const exports = request.exportsOf(type, query);
    if (exports === null) return { status: 'needs', queries: collectors.map(({ type, query }) => ({ type, query })) };
    seen[`${type} ${canonicalJson(query)}`] = exports
      .filter((resource) => matchesFilter(resource, query))
      .map(({ title, parameters }) => ({ title, parameters }));
  }
  compiled.push(certname);
  if (script.fail !== undefined) {
    const error = { message: `${script.fail} (file: x.pp, line: 1)`, basic: script.fail };
    const { backtrace } = script;
    const where = backtrace === undefined ? {} : { backtrace };
    return { status: 'failed', error: { ...error, ...where }, collectors, log: [] };
  }
  const exported = (script.exports ?? []).map(({ type, title, parameters }) => ({
    certname,
    type,
    title,
    tags: [],
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, exportValue(value, node.facts)]),
    ),
  }));
  return { status: 'ok', catalog: canonicalJson(seen), lastValue: undefined, exported, collectors, log: [] };
}

function exportValue(value: unknown, facts: PuppetHash): unknown {
  if (typeof value !== 'object' || value === null || !('fact' in value) || !Array.isArray(value.fact)) return value;
  return toPlain(dig(facts, value.fact.map(String)));
}

function dig(hash: PuppetHash, path: readonly string[]): Value | undefined {
  let value: Value | undefined = hash;
  for (const key of path) value = value instanceof PuppetHash ? value.get(key) : undefined;
  return value;
}

function toPlain(value: Value | undefined): unknown {
  return value === undefined ? 'absent' : String(value);
}
