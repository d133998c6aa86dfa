import { PType } from './ptype.ts';
import type { RegexpType } from './scalar-types.ts';
import type { Value } from './values/values.ts';

/**
 * The type of runtime values without a Puppet type. Follows
 * lib/puppet/pops/types/p_runtime_type.rb.
 */
export class RuntimeType extends PType {
  readonly kind = 'Runtime';
  readonly runtime: string | null;
  /** A class name, or a pattern with a replacement that converts a Puppet name to a class name. */
  readonly nameOrPattern: string | readonly [RegexpType, string] | null;

  constructor(runtime: string | null = null, nameOrPattern: string | readonly [RegexpType, string] | null = null) {
    super();
    this.runtime = runtime;
    this.nameOrPattern = nameOrPattern;
  }

  isInstance(_value: Value): boolean {
    return false;
  }

  protected accepts(other: PType): boolean {
    if (!(other instanceof RuntimeType)) return false;
    if (this.runtime !== null && this.runtime !== other.runtime) return false;
    return this.nameOrPattern === null || this.parametersKey() === other.parametersKey();
  }

  protected override parametersKey(): string {
    const shown = typeof this.nameOrPattern === 'string' ? this.nameOrPattern : this.nameOrPattern?.map(String);
    return `[${this.runtime},${JSON.stringify(shown ?? null)}]`;
  }
}

export const RUNTIME = new RuntimeType();
