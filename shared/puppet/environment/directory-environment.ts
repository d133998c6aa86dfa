import { posix } from 'node:path';
import { PuppetError } from '../errors/puppet-error.ts';
import { DiskTree, UndigestedTree } from './disk-tree.ts';
import type { InputRecorder } from './environment.ts';
import { NO_RECORDER } from './inputs.ts';
import { TreeEnvironment } from './tree-environment.ts';

/**
 * The environment `name` of the control repo in the folder `codeDirectory`, read from disk as it is
 * now: `<codeDirectory>/environments/<name>`, shared modules in `<codeDirectory>/modules`,
 * `<codeDirectory>/hiera.yaml` as global layer. Throws PuppetError, in Puppet's words, when there
 * is no such environment or its environment.conf cannot be read.
 */
export function openDirectoryEnvironment(codeDirectory: string, name: string, inputs: InputRecorder): TreeEnvironment {
  return openEnvironment(codeDirectory, name, inputs, new DiskTree());
}

/**
 * The same for one compile of which nothing is recorded: its `digest` tells no more than that there
 * is a file.
 */
export function openUnrecordedEnvironment(codeDirectory: string, name: string): TreeEnvironment {
  return openEnvironment(codeDirectory, name, NO_RECORDER, new UndigestedTree());
}

function openEnvironment(codeDirectory: string, name: string, inputs: InputRecorder, tree: DiskTree): TreeEnvironment {
  const base = posix.resolve(codeDirectory);
  const root = posix.join(base, 'environments', name);
  if (!isEnvironmentName(name) || tree.kindOf(root) !== 'directory') {
    throw new PuppetError(describeMissingEnvironment(name, posix.join(base, 'environments')));
  }
  return new TreeEnvironment({
    ...standardPlace(base, name),
    tree,
    inputs,
    globalHiera: posix.join(base, 'hiera.yaml'),
  });
}

/**
 * Whether Puppet takes `name` for an environment's (lib/puppet/node/environment.rb, valid_name?).
 */
export function isEnvironmentName(name: string): boolean {
  return /^\w+$/.test(name);
}

/** Puppet's text for an environment that is not there. */
export function describeMissingEnvironment(name: string, environmentPath: string): string {
  return `Could not find a directory environment named '${name}' anywhere in the path: ${environmentPath}. Does the directory exist?`;
}

/** Where an environment lies in a code directory of the usual layout. */
export function standardPlace(codeDirectory: string, name: string) {
  return {
    name,
    root: posix.join(codeDirectory, 'environments', name),
    codeDirectory,
    baseModulepath: [posix.join(codeDirectory, 'modules')],
  };
}
