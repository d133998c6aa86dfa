import { isPlainTypeDefinition } from '../../puppet/compiler/resource-types/plain-type-definition.ts';
import { typeDefinitionFiles } from '../../puppet/compiler/resource-types/prepared-resource-types.ts';
import { readTypeThatFailed } from '../../puppet/compiler/resource-types/ruby-type-reader.ts';
import { loadRequiredCode, type RubyLibrary, withoutComments } from '../../puppet/compiler/ruby-code.ts';
import type { Environment, ModuleInfo } from '../../puppet/environment/environment.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { rubyBacktraceOf } from '../../puppet/errors/ruby-backtrace.ts';
import { RubyError } from '../../puppet/errors/ruby-error.ts';
import type { RubyPort, RubySource } from '../../puppet/evaluator/ruby-port.ts';
import { functionsOf } from '../../puppet/functions/registry.ts';
import { findStdlibFunction } from '../../puppet/functions/stdlib/pack.ts';
import { DEFAULT_LANGUAGE } from '../../puppet/levels/language.ts';
import { callbacksOutside } from '../../puppet/ruby/callbacks.ts';
import { filesBelow } from './files-below.ts';
import { type Area, createFinding, type DoctorFinding } from './finding.ts';
import { tryLateRequires } from './late-requires.ts';
import { codeOfTemplate, riskOf } from './ruby-risks.ts';
import { tryProviders } from './try-providers.ts';

/** The Ruby host for trials, and how long they may run. */
interface RubyTrial {
  readonly environment: Environment;
  readonly ruby: RubyPort;
  /** Whether there is time for another trial. */
  readonly hasTime: () => boolean;
}

const FOLDERS: readonly (readonly ['describeFunction' | 'describeLegacyFunction', string])[] = [
  ['describeFunction', 'lib/puppet/functions'],
  ['describeLegacyFunction', 'lib/puppet/parser/functions'],
];

/** Loads each Ruby function of the modules and of the environment. */
export function inspectFunctions(trial: RubyTrial): readonly DoctorFinding[] {
  const { environment } = trial;
  const callbacks = callbacksOutside(environment);
  return rootsOf(environment).flatMap(({ module, root }) =>
    FOLDERS.flatMap(([describe, folder]) =>
      filesBelow(environment, `${root}/${folder}`, '.rb').map((file) => {
        const name = file.slice(0, -'.rb'.length).replaceAll('/', '::');
        const path = `${root}/${folder}/${file}`;
        const source = sourceOf(environment, path);
        const native = nativeRisk(environment, name, source);
        if (native) return createFinding('Ruby functions', module, name, { file: path, ...native });
        return trySource('Ruby functions', module, name, source, trial, (one) =>
          trial.ruby[describe](name, one, callbacks),
        );
      }),
    ),
  );
}

/** Defines each Ruby data type. */
export function inspectDataTypes(trial: RubyTrial): readonly DoctorFinding[] {
  const { environment, ruby } = trial;
  const callbacks = callbacksOutside(environment);
  return rootsOf(environment).flatMap(({ module, root }) =>
    filesBelow(environment, `${root}/lib/puppet/datatypes`, '.rb').map((file) => {
      const name = file.slice(0, -'.rb'.length).replaceAll('/', '::');
      const source = sourceOf(environment, `${root}/lib/puppet/datatypes/${file}`);
      return trySource('Ruby data types', module, name, source, trial, (one) =>
        ruby.describeDataType(name, one, callbacks),
      );
    }),
  );
}

/**
 * Returns what a built-in function, one of Puppet's or of stdlib, does without; null for another
 * function. The file of a built-in function never runs. What makes stdlib's file fail here (the
 * network) is missing to the built-in function too, for the arguments that ask for it.
 */
function nativeRisk(environment: Environment, name: string, { text }: RubySource): Partial<DoctorFinding> | null {
  if (functionsOf(DEFAULT_LANGUAGE).has(name)) return {};
  if (findStdlibFunction(environment, name) === null) return null;
  const risk = riskOf(text);
  return risk?.verdict === 'fails' ? { ...risk, verdict: 'differs' } : {};
}

/** Compiles each ERB template; renders none. */
export function inspectTemplates(trial: RubyTrial): readonly DoctorFinding[] {
  const { environment } = trial;
  return rootsOf(environment).flatMap(({ module, root }) =>
    filesBelow(environment, `${root}/templates`, '.erb').map((file) => {
      const source = sourceOf(environment, `${root}/templates/${file}`);
      return trySource(
        'ERB templates',
        module,
        `templates/${file}`,
        source,
        trial,
        (one) => trial.ruby.checkTemplate(one),
        codeOfTemplate(source.text),
      );
    }),
  );
}

/** Runs the definition of each resource type, then what its providers require. */
export function inspectTypes(trial: RubyTrial): readonly DoctorFinding[] {
  const { environment, ruby, hasTime } = trial;
  return inspectDefinitions(trial).map((finding) => {
    if (finding.verdict !== 'runs' || !hasTime()) return finding;
    return { ...finding, ...tryProviders(finding.name, environment, ruby) };
  });
}

function inspectDefinitions({ environment, ruby, hasTime }: RubyTrial): readonly DoctorFinding[] {
  const callbacks = callbacksOutside(environment);
  return [...typeDefinitionFiles(environment)].map(([name, path]) => {
    const module = environment.listModules().find(({ root }) => path.startsWith(`${root}/`))?.name ?? null;
    const source = sourceOf(environment, path);
    const createFound = (more: Partial<DoctorFinding>) =>
      createFinding('resource types', module, name, { file: path, ...more });
    if (!hasTime()) return createFound(NOT_TRIED);
    try {
      const { titlePatterns } = ruby.describeType(name, source, callbacks);
      if (!titlePatterns.some(({ converts }) => converts)) return createFound({});
      return createFound({
        verdict: 'differs',
        reason: 'Ruby code converts the parts of titles for namevars; here the parts stay as they are',
      });
    } catch (error) {
      if (error instanceof PuppetError) return createFound(notTried(error));
      if (!(error instanceof RubyError)) throw error;
      const { file, line, message } = error;
      const isRead =
        isPlainTypeDefinition(name, source.text) ||
        readTypeThatFailed(error, name, source.text, libraryOf(environment)) !== null;
      const reason = isRead
        ? `it does not load, so its attributes are read from its text: ${firstLine(message)}`
        : firstLine(message);
      const verdict = isRead ? 'differs' : 'fails';
      return createFound({ verdict, reason, file: file ?? path, line, ...traceOf(error, environment) });
    }
  });
}

const NOT_TRIED: Partial<DoctorFinding> = {
  verdict: 'note',
  reason: 'not tried: the time limit for trials was reached',
};

/** Code that asks for what only a compile has runs in a compile. */
function notTried({ message }: PuppetError): Partial<DoctorFinding> {
  return { verdict: 'note', reason: `not tried: ${firstLine(message)}` };
}

function trySource(
  area: Area,
  module: string | null,
  name: string,
  source: RubySource,
  { hasTime, environment, ruby }: RubyTrial,
  run: (source: RubySource) => unknown,
  code: string = source.text,
): DoctorFinding {
  const createFound = (more: Partial<DoctorFinding>) =>
    createFinding(area, module, name, { file: source.path, ...more });
  if (!hasTime()) return createFound(NOT_TRIED);
  try {
    run(source);
  } catch (error) {
    if (error instanceof PuppetError) return createFound(notTried(error));
    if (!(error instanceof RubyError)) throw error;
    return createFound({
      verdict: 'fails',
      reason: firstLine(error.message),
      file: error.file ?? source.path,
      line: error.line,
      ...traceOf(error, environment),
    });
  }
  const late = () => tryLateRequires({ path: source.path, text: code }, ruby, callbacksOutside(environment));
  const risk = riskOf(code) ?? late() ?? riskOfRequired(environment, source) ?? riskOfEvaluated(environment, source);
  return risk ? createFound(risk) : createFound({});
}

/** Only a part of a required file may be used, so this is at most a difference. */
function riskOfRequired(environment: Environment, { path, text }: RubySource): Partial<DoctorFinding> | null {
  const library = libraryOf(environment);
  const folder = /\/lib\/(.+)\/[^/]+$/.exec(path)?.[1] ?? '';
  const risk = riskOf(loadRequiredCode(withoutComments(text), library, folder));
  return risk && { verdict: 'differs', reason: `a file that it requires ${risk.reason}` };
}

const EVALUATES_FILE = /\b(?:instance_|class_|module_)?eval\b[ (]*(?:::)?File\.read\b/;
/** The texts of a path that is joined, such as `File.join(__dir__, '..', 'x.rb')`. */
const JOINED_PATH = /\bFile\.(?:expand_path|join)\(?[^'"\n]*((?:\s*['"][\w./-]+['"]\s*,?)+)/g;

/** The risk of files that code reads and evaluates; only a part of one may be used. */
function riskOfEvaluated(environment: Environment, { text }: RubySource): Partial<DoctorFinding> | null {
  const code = withoutComments(text);
  if (!EVALUATES_FILE.test(code)) return null;
  const library = libraryOf(environment);
  for (const [, parts = ''] of code.matchAll(JOINED_PATH)) {
    const names = [...parts.matchAll(/['"]([\w./-]+)['"]/g)].flatMap(([, part = '']) => part.split('/'));
    const name = names.filter((part) => !/^\.*$/.test(part)).join('/');
    const risk = riskOf(library(name.replace(/\.rb$/, '')) ?? '');
    if (risk) return { verdict: 'differs', reason: `a file that it evaluates ${risk.reason}` };
  }
  return null;
}

function libraryOf(environment: Environment): RubyLibrary {
  return (name) => {
    const found = environment.listModules().map(({ root }) => environment.readText(`${root}/lib/${name}.rb`));
    return found.find((code) => code !== null) ?? null;
  };
}

function traceOf(error: RubyError, { root }: Environment): Pick<DoctorFinding, 'backtrace'> {
  const backtrace = rubyBacktraceOf(error, root);
  return backtrace.length > 1 ? { backtrace } : {};
}

function firstLine(message: string): string {
  return message.split('\n')[0] ?? '';
}

function sourceOf(environment: Environment, path: string): RubySource {
  return { path, text: environment.readText(path) ?? '' };
}

/** Returns the roots of the environment itself and of its modules. */
export function rootsOf(environment: Environment): readonly { module: string | null; root: string }[] {
  const modules = environment.listModules().map(({ name, root }: ModuleInfo) => ({ module: name, root }));
  return [{ module: null, root: environment.root }, ...modules];
}
