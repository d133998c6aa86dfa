/** Resolves relative URIs. Ruby: URI::Generic#merge, lib/uri/generic.rb */
import { PuppetError } from '../../errors/puppet-error.ts';
import { Uri, type UriParts } from './uri.ts';

/**
 * Resolves `relative` against `base`; an absolute URI is returned unchanged. Throws Ruby's errors.
 */
export function mergeUris(base: Uri, relative: string | Uri): Uri {
  const other = typeof relative === 'string' ? Uri.parse(relative) : relative;
  if (other.parts.scheme !== undefined) return other;
  // Ruby: URI#merge
  if (base.parts.scheme === undefined) throw new PuppetError('both URI are relative');
  return new Uri(mergeParts(base.parts, other.parts));
}

function mergeParts(base: UriParts, other: UriParts): UriParts {
  const { host, userinfo, port, path = '', query, fragment } = other;
  const hasAuthority = (userinfo ?? host ?? port) !== undefined;
  const reference = fragment === undefined ? {} : { fragment };
  if (path === '' && !hasAuthority && query === undefined) return { ...base, ...reference };
  const { query: _query, fragment: _fragment, ...kept } = base;
  return {
    ...kept,
    ...(kept.path !== undefined && { path: hasAuthority ? path : mergePath(kept.path, path) }),
    ...(userinfo !== undefined && { userinfo }),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(query !== undefined && { query }),
    ...reference,
  };
}

function mergePath(base: string, relative: string): string {
  const steps = splitSegments(relative);
  const isAbsolute = steps[0] === '';
  const stack = isAbsolute ? [] : withoutParents(splitSegments(base));
  const rest = resolveSteps(isAbsolute ? steps.slice(1) : steps);
  let endsInFolder = rest.length > 0;
  if (stack.length === 0) stack.push('');
  else if (endsInFolder) stack.pop();
  for (const [index, step] of rest.entries()) {
    if (step !== '..') {
      stack.push(...rest.slice(index));
      endsInFolder = false;
      break;
    }
    if (stack.length > 1) stack.pop();
  }
  if (endsInFolder) stack.push('');
  return stack.join('/');
}

function splitSegments(path: string): string[] {
  return path === '' ? [] : path.split('/');
}

function withoutParents(path: readonly string[]): string[] {
  const kept = path.at(-1) === '..' ? [...path, ''] : [...path];
  for (let at = kept.indexOf('..'); at >= 0; at = kept.indexOf('..')) kept.splice(Math.max(at - 1, 0), 2);
  return kept;
}

/** The steps of a relative path, without pairs that cancel each other. */
function resolveSteps(steps: readonly string[]): readonly string[] {
  const all = steps.at(-1) === '.' || steps.at(-1) === '..' ? [...steps, ''] : steps;
  const kept: string[] = [];
  for (const step of all) {
    if (step === '.') continue;
    if (step === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else kept.push(step);
  }
  return kept;
}
