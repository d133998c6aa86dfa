/** Reads which files of modules the statements at the head of a file require. */
import { posix } from 'node:path';
import { fallBack } from './fallback.ts';
import { LIBRARIES } from './methods/kernel-methods.ts';
import type { RubyCall, RubyNode } from './syntax/ruby-ast.ts';
import { FILE_PATH, LOAD_PATH, textOfString } from './syntax/ruby-nodes.ts';

/** Features that only modules provide. */
const OF_MODULES = /^puppet_?x\/[\w/]+$/;

/**
 * Returns the paths, from the folder of the file, that the statements require. It knows
 * `require_relative`, `require` of a path that is given from `__FILE__` or `__dir__`, and `require`
 * of `puppet_x/...` from a folder that a statement before put in front of `$LOAD_PATH`. What
 * requires the standard library has no path. Throws Fallback for other statements.
 */
export function readRequiredPaths(statements: readonly RubyNode[]): readonly string[] {
  let library: string | null = null;
  const paths: string[] = [];
  for (const node of statements) {
    if (requiresStandard(node)) continue;
    const added = addedLibrary(node);
    // The files are searched in several folders then.
    if (added !== null && library !== null && added !== library) fallBack('several folders of a library');
    if (added !== null) library = added;
    else paths.push(requiredPath(node, library) ?? fallBack('other statements'));
  }
  return paths;
}

/** Whether the node requires a part of the standard library that is always there. */
export function requiresStandard(node: RubyNode): boolean {
  const feature = node.kind === 'call' && node.name === 'require' ? onlyArgument(node) : null;
  return feature?.kind === 'string' && LIBRARIES.has(textOfString(feature));
}

function requiredPath(node: RubyNode, library: string | null): string | null {
  if (node.kind !== 'call') return null;
  const given = onlyArgument(node);
  if (node.name === 'require_relative') return given && pathOf(given);
  if (node.name !== 'require' || !given) return null;
  if (given.kind !== 'string') return isAnchored(given) ? pathOf(given) : null;
  const feature = textOfString(given);
  return library !== null && OF_MODULES.test(feature) ? posix.join(library, feature) : null;
}

/** The folder that `$LOAD_PATH.unshift(...)` adds; null for another statement. */
function addedLibrary(node: RubyNode): string | null {
  if (node.kind !== 'call' || node.name !== 'unshift' || node.receiver?.kind !== 'constant') return null;
  const [folder] = node.args;
  const isOne = node.receiver.name === LOAD_PATH && node.args.length === 1 && !node.block;
  return isOne && folder && isAnchored(folder) ? pathOf(folder) : null;
}

function onlyArgument({ receiver, block, args }: RubyCall): RubyNode | null {
  return receiver || block || args.length !== 1 ? null : (args[0] ?? null);
}

/** Whether a path begins at the file itself. */
function isAnchored(node: RubyNode): boolean {
  if (node.kind === 'constant') return node.name === FILE_PATH;
  if (node.kind !== 'call') return false;
  if (node.name === '__dir__') return node.receiver === null && node.args.length === 0;
  if (node.name === '+') return node.receiver !== null && isAnchored(node.receiver);
  return node.args.some(isAnchored);
}

/** The path that an expression gives, from the folder of the file; null when it is unknown. */
function pathOf(node: RubyNode): string | null {
  if (node.kind === 'string') return textOfString(node);
  if (node.kind === 'constant') return node.name === FILE_PATH ? 'file.rb' : null;
  if (node.kind !== 'call' || node.block) return null;
  const { receiver, name } = node;
  if (name === '__dir__') return receiver === null && node.args.length === 0 ? '.' : null;
  const parts = node.args.map(pathOf);
  const [first = null, second = null] = parts;
  if (first === null || parts.includes(null)) return null;
  if (name === '+') {
    const before = receiver && isAnchored(receiver) ? pathOf(receiver) : null;
    return before !== null && first.startsWith('/') ? posix.join(before, first) : null;
  }
  if (receiver?.kind !== 'constant' || receiver.name !== 'File') return null;
  if (name === 'dirname' && parts.length === 1) return posix.dirname(first);
  if (name === 'join') return posix.join(...parts.map(String));
  if (name !== 'expand_path' || parts.length > 2 || first.startsWith('/')) return null;
  return second === null ? first : posix.join(second, first);
}
