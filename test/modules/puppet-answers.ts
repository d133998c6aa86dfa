/**
 * What real Puppet makes of nodes and of code, recorded: it takes Puppet as long as the rest of a
 * test.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { RecordedAnswers, type Sources } from '../helpers/recorded-answers.ts';
import { codeDigest, moduleSources, puppetSources, sourcesOf, treeDigest } from '../helpers/reference-sources.ts';

import { type Outcome, type Rendering, renderWithPuppet } from './both-renderings.ts';
import { installedModules } from './installed-modules.ts';
import { compileWithPuppet, type JudgedJob, type NodeOutcome } from './judged-nodes.ts';

/** Stands for the folder of the control repo, which is another one each time. */
const FOLDER = '/%CODE%';

/** Scripts in this folder that ask real Puppet. */
type Script = 'compile-codes.rb' | 'compile-nodes.rb' | 'describe-functions.rb' | 'describe-types.rb' | 'dump-pn.rb';

/**
 * Answers that depend on `code`: by default on all that the installed modules have. `test` is the
 * test file, `script` asks Puppet.
 */
export function puppetAnswers(
  name: string,
  test: string,
  script: Script,
  code: () => Sources = () => moduleSources(installedModules(), 'all'),
): RecordedAnswers {
  const sources = () => ({
    ...puppetSources(),
    ...code(),
    ...sourcesOf(import.meta.dirname, ['facts.json']),
    [script]: codeDigest(join(import.meta.dirname, script)),
  });
  return new RecordedAnswers({ name, test, sources });
}

/**
 * `compileWithPuppet`, recorded. What of the code lies beside the installed modules is part of the
 * question.
 */
export async function compiledWithPuppet(
  job: JudgedJob,
  answers: RecordedAnswers,
): Promise<ReadonlyMap<string, NodeOutcome>> {
  const { codeDirectory, ...question } = job;
  const ask = async (): Promise<readonly (readonly [string, NodeOutcome])[]> =>
    moved([...(await compileWithPuppet(job))], codeDirectory, FOLDER);
  const recorded = await answers.fetch({ ...question, code: treeDigest(codeDirectory) }, ask);
  return new Map(moved(recorded, FOLDER, codeDirectory));
}

/** With other paths in all texts. */
function moved<T>(value: T, from: string, to: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll(from, to));
}

/** `renderWithPuppet`, recorded; `answers` depend on what is in `modules`. */
export async function renderedWithPuppet(
  modules: string,
  renderings: readonly Rendering[],
  answers: RecordedAnswers,
  anew: readonly 'anew'[] = [],
): Promise<readonly Outcome[]> {
  const ask = async () => moved(await renderWithPuppet(modules, renderings, anew), modules, FOLDER);
  return moved(await answers.fetch(renderings, ask), FOLDER, modules);
}

/** What a script says of all modules in a folder, recorded. */
export async function describedWithPuppet<T>(
  script: Script,
  modules: string,
  answers: RecordedAnswers,
): Promise<readonly T[]> {
  const ask = async () => moved(await runScript<T>(script, [modules]), modules, FOLDER);
  return moved(await answers.fetch(script, ask), FOLDER, modules);
}

/** Runs a script; what it prints has a value as JSON in each line. */
export function runScript<T>(script: Script, args: readonly string[], input = ''): Promise<readonly T[]> {
  return new Promise((resolve, reject) => {
    const command = [join(import.meta.dirname, script), ...args];
    const child = execFile('ruby', command, { maxBuffer: 1 << 26 }, (error, stdout) => {
      if (error) return reject(error);
      const lines = stdout.trim().split('\n');
      resolve(lines.map((line) => JSON.parse(line)));
    });
    child.stdin?.end(input);
  });
}
