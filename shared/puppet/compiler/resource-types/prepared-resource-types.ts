import type { Environment } from '../../environment/environment.ts';
import { isKindRecord } from '../../environment/file-notes.ts';
import type { InputSet } from '../../environment/inputs.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { RubyError } from '../../errors/ruby-error.ts';
import type { RubyPort, RubyTypeDescription } from '../../evaluator/ruby-port.ts';
import { callbacksOutside } from '../../ruby/callbacks.ts';
import { isPlainTypeDefinition } from './plain-type-definition.ts';

/** A resource type that Ruby described before a compile needed it. */
export interface PreparedResourceType {
  readonly description: RubyTypeDescription;
  /** The files that the type depends on, by absolute path, as `InputSet.files` stores them. */
  readonly files: InputSet['files'];
}

/** By type name. */
export type PreparedResourceTypes = ReadonlyMap<string, PreparedResourceType>;

const FOLDER = 'lib/puppet/type';

/**
 * Returns the environment's files that define resource types, by type name. The first module with a
 * type takes precedence.
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
 * Lets Ruby describe the type that `path` defines. Returns null when its text alone is sufficient,
 * or when its code fails; a compile that needs the type then reports the error.
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
    return ruby.describeType(name, source, callbacksOutside(environment));
  } catch (error) {
    // A PuppetError: the code asks for what only a compile has.
    if (error instanceof RubyError || error instanceof PuppetError) return null;
    throw error;
  }
}

/** Repeats recorded file accesses, so that they become inputs of this compile too. */
export function replayFilesSeen(files: InputSet['files'], environment: Environment): void {
  for (const [path, state] of Object.entries(files)) {
    if (path.endsWith('/')) environment.list(path.slice(0, -1));
    else if (state === null || isKindRecord(state)) environment.kindOf(path);
    else environment.digest(path);
  }
}
