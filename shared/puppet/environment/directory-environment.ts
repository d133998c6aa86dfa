import { posix } from 'node:path';
import { PuppetError } from '../errors/puppet-error.ts';
import { DiskRoots } from './disk-roots.ts';
import { DiskTree } from './disk-tree.ts';
import type { InputRecorder } from './environment.ts';
import { parseEnvironmentConf } from './environment-conf.ts';
import { EnvironmentMemory } from './environment-memory.ts';
import type { EnvironmentPlace } from './environment-place.ts';
import { findHieraRoots } from './hiera-roots.ts';
import { TreeEnvironment, type TreeEnvironmentOptions } from './tree-environment.ts';

/**
 * Opens the environment `name` of the control repo in the folder `codeDirectory`, as it is on disk
 * now. Its root is `<codeDirectory>/environments/<name>`, shared modules are in
 * `<codeDirectory>/modules`, and `<codeDirectory>/hiera.yaml` is the global layer. Code sees no
 * other files of the host than those of `findRoots`. Throws PuppetError with Puppet's text when the
 * environment does not exist or its environment.conf cannot be read.
 */
export function openDirectoryEnvironment(codeDirectory: string, name: string, inputs: InputRecorder): TreeEnvironment {
  return openEnvironment(codeDirectory, name, inputs, (roots) => new DiskTree(roots));
}

/**
 * Returns a function that opens the environment for one compile after the other, while its files do
 * not change: what one compile read, the next ones do not read again.
 */
export function openUnchangingEnvironments(
  codeDirectory: string,
  name: string,
): (inputs: InputRecorder) => TreeEnvironment {
  const memory = new EnvironmentMemory();
  let tree: DiskTree | null = null;
  const findTree = (roots: DiskRoots): DiskTree => {
    tree ??= new DiskTree(roots);
    return tree;
  };
  return (inputs) => openEnvironment(codeDirectory, name, inputs, findTree, { memory });
}

/** Opens a control repo that is one environment itself, without modules of other environments. */
export function openSingleEnvironment(codeDirectory: string, name: string, inputs: InputRecorder): TreeEnvironment {
  const place = { name, root: codeDirectory, codeDirectory, baseModulepath: [] };
  return new TreeEnvironment({ ...place, tree: new DiskTree(findRoots(place)), inputs, globalHiera: null });
}

function openEnvironment(
  codeDirectory: string,
  name: string,
  inputs: InputRecorder,
  createTree: (roots: DiskRoots) => DiskTree,
  kept: Pick<TreeEnvironmentOptions, 'memory'> = {},
): TreeEnvironment {
  const base = posix.resolve(codeDirectory);
  const place = standardPlace(base, name);
  if (!isEnvironmentName(name) || new DiskTree().kindOf(place.root) !== 'directory') {
    throw new PuppetError(describeMissingEnvironment(name, posix.join(base, 'environments')));
  }
  return new TreeEnvironment({
    ...place,
    tree: createTree(findRoots(place)),
    inputs,
    globalHiera: posix.join(base, 'hiera.yaml'),
    ...kept,
  });
}

/**
 * The files that the code of an environment on disk may see: the control repo, what its
 * environment.conf names (modules, manifests), and what its hiera.yaml and the global one name. The
 * hiera.yaml of a module names nothing outside.
 */
function findRoots(place: EnvironmentPlace): DiskRoots {
  const roots = new DiskRoots();
  roots.add(place.codeDirectory);
  roots.add(place.root);
  const tree = new DiskTree(roots);
  const file = posix.join(place.root, 'environment.conf');
  const conf = parseEnvironmentConf(tree.readText(file), file, place);
  const modules = conf.modulepath.map((folder) => findFixedFolder(posix.resolve(folder)));
  for (const folder of modules) if (folder !== '/') roots.addModules(folder);
  if (conf.manifest !== '/') roots.add(posix.resolve(conf.manifest));
  for (const folder of [place.codeDirectory, place.root]) {
    const text = tree.readText(posix.join(folder, 'hiera.yaml'));
    for (const root of text === null ? [] : findHieraRoots(text, folder)) roots.add(root);
  }
  return roots;
}

/** The part of a path before a glob. */
function findFixedFolder(path: string): string {
  const segments = path.split('/');
  const first = segments.findIndex((segment) => /[*?[{]/.test(segment));
  return first < 0 ? path : segments.slice(0, first).join('/') || '/';
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
