import type { Environment } from '../../puppet/environment/environment.ts';
import type { RubyPort } from '../../puppet/evaluator/ruby-port.ts';
import type { Language } from '../../puppet/levels/language.ts';
import { followCalls } from './called-functions.ts';
import { filesBelow } from './files-below.ts';
import { createFinding, type Diagnosis, type DoctorFinding } from './finding.ts';
import { inspectGraph } from './inspect-graph.ts';
import { inspectHiera } from './inspect-hiera.ts';
import { inspectLanguage } from './inspect-language.ts';
import { inspectEpp, inspectManifests } from './inspect-manifests.ts';
import { inspectModules, modulesOf } from './inspect-modules.ts';
import { inspectDataTypes, inspectFunctions, inspectTemplates, inspectTypes, rootsOf } from './inspect-ruby.ts';
import { inspectSettings } from './inspect-settings.ts';

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
