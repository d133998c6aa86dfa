/**
 * What real Puppet makes of nodes and of code, recorded: it takes Puppet as long as the rest of a
 * test.
 */
import { join } from 'node:path';
import { RecordedAnswers } from '../helpers/recorded-answers.ts';
import { codeDigest, moduleSources, puppetSources, sourcesOf, treeDigest } from '../helpers/reference-sources.ts';
import { type Outcome, type Rendering, renderWithPuppet } from './both-renderings.ts';
import { installedModules } from './installed-modules.ts';
import { compileWithPuppet, type JudgedJob, type NodeOutcome } from './judged-nodes.ts';

/** Stands for the folder of the control repo, which is another one each time. */
const FOLDER = '/%CODE%';

/**
 * Answers that depend on all that the modules have, installed ones by default. `test` is the test
 * file, `script` asks Puppet.
 */
export function puppetAnswers(
  name: string,
  test: string,
  script: 'compile-nodes.rb' | 'compile-codes.rb',
  modules = installedModules,
): RecordedAnswers {
  const sources = () => ({
    ...puppetSources(),
    ...moduleSources(modules(), 'all'),
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

/** `renderWithPuppet`, recorded; `modules` are installed ones. */
export async function renderedWithPuppet(
  modules: string,
  renderings: readonly Rendering[],
  answers: RecordedAnswers,
): Promise<readonly Outcome[]> {
  const ask = async () => moved(await renderWithPuppet(modules, renderings), modules, FOLDER);
  return moved(await answers.fetch(renderings, ask), FOLDER, modules);
}
