import { posix } from 'node:path';
import { PuppetError } from '../errors/puppet-error.ts';
import { DiskTree, UndigestedTree } from './disk-tree.ts';
import type { InputRecorder } from './environment.ts';
import { NO_RECORDER } from './inputs.ts';
import { TreeEnvironment } from './tree-environment.ts';

/**
 * Opens the environment `name` of the control repo in the folder `codeDirectory`, as it is on disk
 * now. Its root is `<codeDirectory>/environments/<name>`, shared modules are in
 * `<codeDirectory>/modules`, and `<codeDirectory>/hiera.yaml` is the global layer. Throws
 * PuppetError with Puppet's text when the environment does not exist or its environment.conf cannot
 * be read.
 */
export function openDirectoryEnvironment(codeDirectory: string, name: string, inputs: InputRecorder): TreeEnvironment {
  return openEnvironment(codeDirectory, name, inputs, new DiskTree());
}

/**
 * Opens the same environment for one compile whose inputs are not recorded. Its `digest` only tells
 * whether a file exists.
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

/** Whether `name` is a valid environment name (lib/puppet/node/environment.rb, valid_name?). */
export function isEnvironmentName(name: string): boolean {
  return /^\w+$/.test(name);
}

/** Puppet's text for an environment that does not exist. */
export function describeMissingEnvironment(name: string, environmentPath: string): string {
  return `Could not find a directory environment named '${name}' anywhere in the path: ${environmentPath}. Does the directory exist?`;
}

/** The place of an environment in a code directory of the usual layout. */
export function standardPlace(codeDirectory: string, name: string) {
  return {
    name,
    root: posix.join(codeDirectory, 'environments', name),
    codeDirectory,
    baseModulepath: [posix.join(codeDirectory, 'modules')],
  };
}
