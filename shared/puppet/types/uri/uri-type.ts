import { matchOption } from '../matching.ts';
import { PType } from '../ptype.ts';
import { partKey } from '../values/hash-key.ts';
import type { PuppetHash } from '../values/puppet-hash.ts';
import type { Value } from '../values/values.ts';
import { Uri, type UriPart } from './uri.ts';

/**
 * All URIs, or those whose parts match the parameters. Follows lib/puppet/pops/types/p_uri_type.rb.
 */
export class URIType extends PType {
  readonly kind = 'URI';
  /** The values that parts must match, by part name; null for all URIs. */
  readonly parameters: PuppetHash | null;

  constructor(parameters: PuppetHash | null = null) {
    super();
    this.parameters = parameters;
  }

  isInstance(value: Value): boolean {
    if (!(value instanceof Uri)) return false;
    if (this.parameters === null) return true;
    for (const [part, pattern] of this.parameters.entries()) {
      if (!isPart(part) || !matchOption(pattern, value.get(part), null)) return false;
    }
    return true;
  }

  protected accepts(other: PType): boolean {
    if (!(other instanceof URIType)) return false;
    if (this.parameters === null) return true;
    for (const [part, mine] of this.parameters.entries()) {
      const yours = other.parameters?.get(part);
      if (yours === undefined || !matchesParameter(yours, mine)) return false;
    }
    return true;
  }

  override generalize(): PType {
    return URI;
  }

  protected override parametersKey(): string {
    return this.parameters === null ? '' : `[${partKey(this.parameters)}]`;
  }
}

/** Whether a type parameter is covered by the corresponding parameter of a wider type. */
export function matchesParameter(narrow: Value, wide: Value): boolean {
  if (matchOption(wide, narrow, null)) return true;
  return narrow instanceof PType && wide instanceof PType && wide.isAssignable(narrow);
}

const PARTS: ReadonlySet<Value> = new Set([
  'scheme',
  'userinfo',
  'host',
  'port',
  'path',
  'query',
  'fragment',
  'opaque',
]);

function isPart(name: Value): name is UriPart {
  return PARTS.has(name);
}

export const URI = new URIType();
