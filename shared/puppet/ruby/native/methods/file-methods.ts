/** Implements `File` for files of the environment. */
import type { Value } from '../../../types/values/values.ts';
import { fallBack } from '../fallback.ts';
import { getArgument, type MethodCall } from '../runtime.ts';

/** Paths that may be those of Ruby's own library, which Ruby itself reads. */
const LIBRARY = /ruby|gem/i;

function pathArgument(call: MethodCall): string {
  const path = getArgument(call);
  if (typeof path !== 'string' || !path.startsWith('/') || path.includes('\0') || LIBRARY.test(path))
    return fallBack('a path');
  return path;
}

export function isThere(call: MethodCall): Value {
  return call.render.world.kindOf(pathArgument(call)) !== null;
}

export function fileKind(kind: 'file' | 'directory'): (call: MethodCall) => Value {
  return (call) => call.render.world.kindOf(pathArgument(call)) === kind;
}

/** Reads a text; a file that is missing or holds invalid UTF-8 is left to Ruby. */
export function readFile(call: MethodCall): Value {
  const text = call.render.world.readFile(pathArgument(call));
  return text === null || text.includes('\ufffd') ? fallBack('a file') : text;
}
