import { posix } from 'node:path';
import { globPaths } from '../environment/glob.ts';
import { RubyFault } from '../errors/lookup-error.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { Uri } from '../types/uri/uri.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { isArray } from '../types/values/value-kinds.ts';
import type { Value } from '../types/values/values.ts';
import { interpolate, lookupVariable } from './interpolation.ts';
import type { Invocation } from './invocation.ts';
import { rubyText } from './ruby-text.ts';

/** A place where a hierarchy entry finds data. */
export interface Location {
  readonly kind: 'path' | 'uri';
  /** The path or URI as written in hiera.yaml. */
  readonly original: string;
  /** Absolute path, or URI. */
  readonly place: string;
  readonly exists: boolean;
}

export function interpolateText(text: string, invocation: Invocation): string {
  return rubyText(interpolate(text, invocation, false));
}

/** Resolves paths against the data folder. `extension` is appended to paths that lack it. */
export function resolvePaths(
  folder: string,
  paths: readonly string[],
  invocation: Invocation,
  extension = '',
): readonly Location[] {
  return paths.map((original) => {
    const path = interpolateText(original, invocation);
    return pathLocation(original, placeOf(folder, path.endsWith(extension) ? path : path + extension), invocation);
  });
}

/** A relative path that `resolve` would not change. */
const PLAIN = /^(?!\.)[^/]+(?:\/(?!\.)[^/]+)*$/;

/** Joins `path` to the absolute `folder`. */
function placeOf(folder: string, path: string): string {
  if (PLAIN.test(path) && PLAIN.test(folder.slice(1))) return `${folder}/${path}`;
  // A trailing slash marks a folder.
  return posix.resolve(folder, path) + (path.endsWith('/') && path !== '/' ? '/' : '');
}

function pathLocation(original: string, place: string, invocation: Invocation): Location {
  const kind = invocation.scope.context.environment.kindOf(place);
  return { kind: 'path', original, place, exists: place.endsWith('/') ? kind === 'directory' : kind !== null };
}

export function expandGlobs(folder: string, globs: readonly string[], invocation: Invocation): readonly Location[] {
  const { environment } = invocation.scope.context;
  return globs.flatMap((declared) => {
    const text = interpolateText(declared, invocation);
    const glob = posix.isAbsolute(text) ? text : posix.join(folder, text);
    const files = globPaths(glob, environment).filter((path) => environment.kindOf(path) !== 'directory');
    return files.map((place): Location => ({ kind: 'path', original: glob, place, exists: true }));
  });
}

/** Resolves URIs. Throws RubyFault for an invalid URI. */
export function expandUris(uris: readonly string[], invocation: Invocation): readonly Location[] {
  return uris.map((original) => ({
    kind: 'uri',
    original,
    place: assertUri(interpolateText(original, invocation)),
    exists: true,
  }));
}

function assertUri(text: string): string {
  try {
    Uri.parse(text);
  } catch (error) {
    throw error instanceof PuppetError ? new RubyFault(error.basic, { cause: error }) : error;
  }
  return text;
}

/**
 * Expands `[variable, name, template]`: the template once for each value of the variable, bound to
 * `name`.
 */
export function expandMappedPaths(
  folder: string,
  triplet: readonly string[],
  invocation: Invocation,
): readonly Location[] {
  const [variable = '', name = '', template = ''] = triplet;
  const found = lookupVariable(variable, 'mapped_path[0]', invocation);
  const values = listMappedValues(found);
  return invocation.runForgetting(name, () =>
    values.map((value) =>
      invocation.scope.withLocal(new Map([[name, value]]), () =>
        pathLocation(template, posix.resolve(folder, interpolateText(template, invocation)), invocation),
      ),
    ),
  );
}

/** A hash is mapped as a list of pairs. */
function listMappedValues(value: Value): readonly Value[] {
  if (value === null || value === '') return [];
  if (value instanceof PuppetHash) return [...value.entries()].map(([key, item]) => [key, item]);
  return isArray(value) ? value : [value];
}
