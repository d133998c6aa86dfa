import { posix } from 'node:path';
import { globPaths } from '../environment/glob.ts';
import { RubyFault } from '../errors/lookup-error.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { Uri } from '../types/uri/uri.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { interpolate, lookupVariable } from './interpolation.ts';
import type { Invocation } from './invocation.ts';
import { rubyText } from './ruby-text.ts';

/** Where an entry of the hierarchy has data. */
export interface Location {
  readonly kind: 'path' | 'uri';
  /** As hiera.yaml has it. */
  readonly original: string;
  /** Absolute path, or URI. */
  readonly place: string;
  readonly exists: boolean;
}

export function interpolateText(text: string, invocation: Invocation): string {
  return rubyText(interpolate(text, invocation, false));
}

/** `extension` is added to paths that lack it. */
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

/** A path that is relative, and has nothing in it that `resolve` takes out. */
const PLAIN = /^(?!\.)[^/]+(?:\/(?!\.)[^/]+)*$/;

/** `folder` is absolute. */
function placeOf(folder: string, path: string): string {
  if (PLAIN.test(path) && PLAIN.test(folder.slice(1))) return `${folder}/${path}`;
  // Only a folder has a path that ends so.
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

/** Throws RubyFault for what is no URI. */
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
 * `[variable, name, template]`: the template for each value of the variable, which it sees under
 * that name.
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

/** A hash is mapped over by its pairs. */
function listMappedValues(value: Value): readonly Value[] {
  if (value === null || value === '') return [];
  if (value instanceof PuppetHash) return [...value.entries()].map(([key, item]) => [key, item]);
  return isArray(value) ? value : [value];
}

function isArray(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
