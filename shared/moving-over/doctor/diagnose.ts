import { posix } from 'node:path';
import { GRAPH_FILE, InvalidGraph, readEnvironmentGraph } from '../../orchestrator/order/environment-graph.ts';
import type { Environment } from '../../puppet/environment/environment.ts';
import type { RubyPort } from '../../puppet/evaluator/ruby-port.ts';
import type { Language } from '../../puppet/levels/language.ts';
import { filesBelow } from './files-below.ts';
import { createFinding, type Diagnosis, type DoctorFinding } from './finding.ts';
import { inspectHiera } from './inspect-hiera.ts';
import { inspectLanguage } from './inspect-language.ts';
import { inspectEpp, inspectManifests } from './inspect-manifests.ts';
import { inspectModules, modulesOf } from './inspect-modules.ts';
import { inspectDataTypes, inspectFunctions, inspectTemplates, inspectTypes, rootsOf } from './inspect-ruby.ts';
import { inspectSettings } from './inspect-settings.ts';
import { codeOfTemplate, plainLines } from './ruby-risks.ts';

export interface DiagnosisOptions {
  /** Opens the environment; each call returns a new one. */
  readonly open: () => Environment;
  readonly codeDirectory: string;
  /** The language that the code is to be compiled in. */
  readonly language: Language;
  readonly ruby: RubyPort;
  /** Milliseconds since an arbitrary time. */
  readonly now: () => number;
  /** Time limit for all trials in Ruby, in milliseconds. */
  readonly limitMs: number;
  /** Called before each part of the inspection, and often during long ones. */
  readonly observe?: (part: string, done: number, of: number) => void;
}

/**
 * Inspects an environment: what runs here, and what does not. Code of modules runs only in `ruby`.
 */
export function diagnose(options: DiagnosisOptions): Diagnosis {
  const { open, codeDirectory, language, ruby, now, limitMs, observe = () => {} } = options;
  const environment = open();
  const end = now() + limitMs;
  let report = () => {};
  const hasTime = () => {
    report();
    return now() < end;
  };
  const trial = { environment, ruby, hasTime };
  ruby.beginCompile(environment.root);
  const parts: readonly (readonly [part: string, inspect: () => readonly DoctorFinding[]])[] = [
    ['modules', () => inspectModules(environment)],
    ['settings', () => inspectSettings(environment, codeDirectory, language)],
    ['dependencies', () => inspectGraph(environment)],
    ['Hiera', () => inspectHiera(environment, open, codeDirectory, ruby, language)],
    ['manifests', () => inspectManifests(environment, language.level)],
    ['language', () => inspectLanguage(environment, language)],
    ['EPP templates', () => inspectEpp(environment)],
    ['templates', () => inspectTemplates(trial)],
    ['functions', () => inspectFunctions(trial)],
    ['types', () => inspectTypes(trial)],
    ['data types', () => inspectDataTypes(trial)],
    ['facts', () => inspectFacts(environment)],
  ];
  const findings = parts.flatMap(([part, inspect], index) => {
    report = () => observe(`${environment.name}: ${part}`, index, parts.length);
    report();
    return inspect();
  });
  return {
    environment: environment.name,
    root: environment.root,
    modules: modulesOf(environment),
    findings: followCalls(environment, findings),
  };
}

/** Facts run on nodes: agents get them by pluginsync. */
function inspectFacts(environment: Environment): readonly DoctorFinding[] {
  return rootsOf(environment).flatMap(({ module, root }) =>
    ['lib/facter', 'facts.d'].flatMap((folder) =>
      filesBelow(environment, `${root}/${folder}`, '').map((file) =>
        createFinding('facts', module, `${folder}/${file}`, { file: `${root}/${folder}/${file}` }),
      ),
    ),
  );
}

const CALLS = /\bcall_function[ (]+['":]+([a-z][\w:]*)|\bfunction_([a-z]\w*)[ (]/g;

/**
 * Returns the findings; a function or template that runs, but calls a function that does not,
 * differs. Such a call may depend on the arguments.
 */
function followCalls(environment: Environment, findings: readonly DoctorFinding[]): readonly DoctorFinding[] {
  const functions = findings.filter(({ area }) => area === 'Ruby functions');
  const failing = new Set(functions.filter(({ verdict }) => verdict === 'fails').map(({ name }) => name));
  return findings.map((finding) => {
    const { area, file } = finding;
    const isTemplate = area === 'ERB templates';
    if (finding.verdict !== 'runs' || file === null || !(isTemplate || area === 'Ruby functions')) return finding;
    const text = environment.readText(file) ?? '';
    const call = findCall(isTemplate ? codeOfTemplate(text) : text, failing);
    if (!call) return finding;
    return { ...finding, verdict: 'differs', reason: `it calls ${call.name}, which does not run`, line: call.line };
  });
}

function findCall(text: string, failing: ReadonlySet<string>): { readonly name: string; readonly line: number } | null {
  for (const [index, line] of plainLines(text, false).entries()) {
    for (const [, named, legacy] of line.matchAll(CALLS)) {
      const name = named ?? legacy ?? '';
      if (failing.has(name)) return { name, line: index + 1 };
    }
  }
  return null;
}

/** The graph of an environment; none without the file. An invalid one refuses Puppet runs. */
function inspectGraph(environment: Environment): readonly DoctorFinding[] {
  const file = posix.join(environment.root, GRAPH_FILE);
  const text = environment.readText(file);
  if (text === null) return [];
  try {
    readEnvironmentGraph(text);
    return [createFinding('settings', null, GRAPH_FILE, { file })];
  } catch (error) {
    if (!(error instanceof InvalidGraph)) throw error;
    const { line, problem: reason } = error;
    return [createFinding('settings', null, GRAPH_FILE, { verdict: 'fails', reason, file, line })];
  }
}
