import type { Environment } from '../../environment/environment.ts';
import type { InputSet } from '../../environment/inputs.ts';
import { RubyError, type RubyPort, type RubyTypeDescription } from '../../evaluator/ruby-port.ts';
import { environmentCallbacks } from '../../ruby/environment-callbacks.ts';
import { isPlainTypeDefinition } from './plain-type-definition.ts';

/** A resource type that Ruby described before any compile asked for it. */
export interface PreparedResourceType {
  readonly description: RubyTypeDescription;
  /** What this depends on, by absolute path, as `InputSet.files` writes it. */
  readonly files: InputSet['files'];
}

/** By type name. */
export type PreparedResourceTypes = ReadonlyMap<string, PreparedResourceType>;

const FOLDER = 'lib/puppet/type';

/**
 * Files of the environment that define resource types, by the type's name; the first module that
 * has it counts.
 */
export function typeDefinitionFiles(environment: Environment): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { root } of environment.listModules()) {
    for (const name of environment.list(`${root}/${FOLDER}`) ?? []) {
      const [, type] = /^([a-z]\w*)\.rb$/.exec(name) ?? [];
      if (type !== undefined && !files.has(type)) files.set(type, `${root}/${FOLDER}/${name}`);
    }
  }
  return files;
}

/**
 * Has Ruby describe the type that `path` defines. Null when its text says all that a compile needs,
 * or when its code fails: a compile that asks for it will tell.
 */
export function prepareResourceType(
  environment: Environment,
  ruby: RubyPort,
  name: string,
  path: string,
): RubyTypeDescription | null {
  const source = { path, text: environment.readText(path) ?? '' };
  if (isPlainTypeDefinition(name, source.text)) return null;
  try {
    return ruby.describeType(name, source, environmentCallbacks(environment));
  } catch (error) {
    if (error instanceof RubyError) return null;
    throw error;
  }
}

/**
 * Looks at files in the way that `files` says, so that they are recorded as inputs of this compile
 * too.
 */
export function replayFilesSeen(files: InputSet['files'], environment: Environment): void {
  for (const [path, state] of Object.entries(files)) {
    if (path.endsWith('/')) environment.list(path.slice(0, -1));
    else if (state === null || state === '+') environment.kindOf(path);
    else environment.digest(path);
  }
}
