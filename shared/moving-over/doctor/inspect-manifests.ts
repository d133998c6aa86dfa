import { DEFAULT_COMPILE_SETTINGS } from '../../puppet/compiler/default-settings.ts';
import { ManifestParser, ParseCache } from '../../puppet/compiler/manifest-parser.ts';
import type { Environment } from '../../puppet/environment/environment.ts';
import { CompileLog } from '../../puppet/errors/compile-log.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { toReadError } from '../../puppet/evaluator/report.ts';
import type { Program } from '../../puppet/language/ast.ts';
import { parseProgram } from '../../puppet/language/parser.ts';
import type { LevelName } from '../../puppet/levels/language.ts';
import { filesBelow } from './files-below.ts';
import { createFinding, type DoctorFinding } from './finding.ts';
import { rootsOf } from './inspect-ruby.ts';

const FOLDERS = ['manifests', 'functions', 'types'];

/** Parses and validates each manifest, and each function and type in the Puppet language. */
export function inspectManifests(environment: Environment, language: LevelName): readonly DoctorFinding[] {
  const parser = openParser(environment, language);
  return listManifests(environment).map(({ module, root, path }) =>
    inspectSource('manifests', module, root, path, () => parser.parseFile(path)),
  );
}

/** A file in the Puppet language that is valid. */
interface ParsedManifest extends Manifest {
  readonly program: Program;
}

/** Inspects each file that is valid. */
export function inspectEachManifest(
  environment: Environment,
  language: LevelName,
  inspect: (manifest: ParsedManifest) => readonly DoctorFinding[],
): readonly DoctorFinding[] {
  const parser = openParser(environment, language);
  return listManifests(environment).flatMap((manifest) => {
    const program = parseValid(parser, manifest.path);
    return program === null ? [] : inspect({ ...manifest, program });
  });
}

function openParser(environment: Environment, language: LevelName): ManifestParser {
  const settings = { ...DEFAULT_COMPILE_SETTINGS, language };
  return new ManifestParser(environment, settings, new CompileLog(), new ParseCache());
}

function parseValid(parser: ManifestParser, path: string): Program | null {
  try {
    return parser.parseFile(path);
  } catch (thrown) {
    if (toReadError(thrown) instanceof PuppetError) return null;
    throw thrown;
  }
}

interface Manifest {
  /** Null for the environment itself. */
  readonly module: string | null;
  readonly root: string;
  readonly path: string;
}

function listManifests(environment: Environment): readonly Manifest[] {
  return rootsOf(environment).flatMap(({ module, root }) => {
    const folders = FOLDERS.map((folder) => `${root}/${folder}`);
    const own = module === null && environment.manifest !== null && !folders.includes(environment.manifest);
    const files = folders.flatMap((folder) =>
      filesBelow(environment, folder, '.pp').map((file) => `${folder}/${file}`),
    );
    const all = [...files, ...(own ? siteManifests(environment, environment.manifest ?? '') : [])];
    return all.map((path) => ({ module, root, path }));
  });
}

/** Returns Puppet's message with paths relative to the environment or module. */
function faultOf({ basic }: PuppetError, root: string): string {
  return basic.replaceAll(`${root}/`, '');
}

function siteManifests(environment: Environment, manifest: string): readonly string[] {
  if (environment.kindOf(manifest) === 'file') return [manifest];
  return filesBelow(environment, manifest, '.pp').map((file) => `${manifest}/${file}`);
}

/** Parses each EPP template. */
export function inspectEpp(environment: Environment): readonly DoctorFinding[] {
  return rootsOf(environment).flatMap(({ module, root }) =>
    filesBelow(environment, `${root}/templates`, '.epp').map((file) => {
      const path = `${root}/templates/${file}`;
      return inspectSource('EPP templates', module, root, path, () =>
        parseProgram(environment.readText(path) ?? '', { file: path, epp: true }),
      );
    }),
  );
}

function inspectSource(
  area: 'manifests' | 'EPP templates',
  module: string | null,
  root: string,
  path: string,
  parse: () => unknown,
): DoctorFinding {
  const createFound = (more: Partial<DoctorFinding>) =>
    createFinding(area, module, path.slice(root.length + 1), { file: path, ...more });
  try {
    parse();
    return createFound({});
  } catch (thrown) {
    const error = toReadError(thrown);
    if (!(error instanceof PuppetError)) throw error;
    const { line } = error.location;
    return createFound({ verdict: 'invalid', reason: faultOf(error, root), line: line ?? null });
  }
}
