import { resolve } from 'node:path';
import type { LanguageLevel } from '../../config/language-level.ts';
import { environmentsOf, NoSuchEnvironment } from '../../fleet/code/scan-environment.ts';
import { openSingleEnvironment, openUnchangingEnvironments } from '../../puppet/environment/directory-environment.ts';
import { DiskTree } from '../../puppet/environment/disk-tree.ts';
import type { Environment } from '../../puppet/environment/environment.ts';
import { NO_RECORDER } from '../../puppet/environment/inputs.ts';
import { languageOf } from '../../puppet/levels/language.ts';
import { createWasmRuby } from '../../puppet/ruby/wasm/wasm-host.ts';
import { type DiagnosisOptions, diagnose } from './diagnose.ts';
import type { Diagnosis } from './finding.ts';
import { PROCESS_WEAKNESSES, printDiagnosis, printRubyHost } from './print-diagnosis.ts';

/** The control repo and environments to inspect. */
interface DiagnosedRepo {
  readonly controlRepo: string;
  /** All environments by default. */
  readonly environment?: string;
  /** The language that the code is to be compiled in. */
  readonly language: LanguageLevel;
}

/**
 * Time limit for one piece of Ruby code, in milliseconds; below, for all Ruby code of an
 * environment.
 */
const PIECE_LIMIT_MS = 3_000;
const TRIALS_LIMIT_MS = 120_000;

/** The entries that mark a folder as a control repo or as an environment. */
const LAYOUT = ['environments', 'manifests', 'modules', 'environment.conf'];

/** Prints diagnoses as one JSON value. */
export function printDiagnosesAsJson(environments: readonly Diagnosis[]): string {
  const report = { rubyHost: 'wasm', processWeaknesses: PROCESS_WEAKNESSES, environments };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** Prints diagnoses for people. `verbose`: every finding with its file. */
export function printDiagnoses(diagnoses: readonly Diagnosis[], verbose: boolean): string {
  return `${diagnoses.map((one) => printDiagnosis(one, verbose)).join('\n')}\n${printRubyHost()}\n`;
}

/** Inspects the environments. Throws NoSuchEnvironment when there is none. */
export function diagnoseRepo(
  { controlRepo, environment, language }: DiagnosedRepo,
  now: () => number,
  observe: DiagnosisOptions['observe'] = () => {},
): readonly Diagnosis[] {
  const codeDirectory = resolve(controlRepo);
  const tree = new DiskTree();
  const isRepo = LAYOUT.some((name) => tree.kindOf(`${codeDirectory}/${name}`) !== null);
  const names = isRepo ? environmentsOf(codeDirectory) : [];
  if (names.length === 0) throw new NoSuchEnvironment(`control repo '${controlRepo}' has no environments`);
  const ruby = createWasmRuby({ timeLimitMs: PIECE_LIMIT_MS, rendersAll: true });
  try {
    return (environment === undefined ? names : [environment]).map((name) =>
      diagnose({
        open: openerOf(codeDirectory, name),
        codeDirectory,
        language: languageOf(language),
        ruby,
        now,
        limitMs: TRIALS_LIMIT_MS,
        observe,
      }),
    );
  } finally {
    ruby.close();
  }
}

/** Returns what opens an environment. A control repo without `environments` is itself one. */
function openerOf(codeDirectory: string, name: string): () => Environment {
  const hasEnvironments = new DiskTree().kindOf(`${codeDirectory}/environments`) === 'directory';
  if (!hasEnvironments) return () => openSingleEnvironment(codeDirectory, name, NO_RECORDER);
  const open = openUnchangingEnvironments(codeDirectory, name);
  return () => open(NO_RECORDER);
}
