import { RubyFault } from '../errors/lookup-error.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Scope } from '../evaluator/scope.ts';
import type { Value } from '../types/values/values.ts';

/** Variables as interpolations in data and hiera.yaml see them. */
export interface Variables {
  /**
   * Returns the value; null when there is none. The `strict` setting decides how an unknown
   * variable is reported.
   */
  get(name: string): Value;
  exists(name: string): boolean;
}

/** The variables of a scope. An unknown variable is an error with `strict=error`. */
export class ScopeVariables implements Variables {
  readonly scope: Scope;

  constructor(scope: Scope) {
    this.scope = scope;
  }

  get(name: string): Value {
    return readVariable(this.scope, name);
  }

  exists(name: string): boolean {
    return this.scope.exists(name);
  }
}

function readVariable(scope: Scope, name: string): Value {
  try {
    return scope.getVariable(name);
  } catch (error) {
    if (error instanceof PuppetError) throw new RubyFault(error.basic, { cause: error });
    throw error;
  }
}

/**
 * Variables for the locations in hiera.yaml: an unknown variable causes one warning, even where
 * data would fail. Puppet: `avoid_hiera_interpolation_errors`, lib/puppet/parser/scope.rb.
 */
export function lenientVariables(scope: Scope, variables: Variables): Variables {
  return {
    get: (name) => {
      try {
        return variables.get(name);
      } catch (error) {
        const [, unknown, reason] = error instanceof RubyFault ? (UNDEFINED.exec(error.basic) ?? []) : [];
        if (unknown === undefined) throw error;
        scope.context.log.addOnce(`undefined_variables ${unknown}`, {
          level: 'warning',
          message: `Interpolation failed with '${unknown}', but compilation continuing; ${reason}\n   (file & line not available)`,
        });
        return null;
      }
    },
    exists: (name) => variables.exists(name),
  };
}

const UNDEFINED = /^Undefined variable '(.*)'; (.*)$/s;

/**
 * Variables as Hiera 3 sees them: they include the calling class and module, and an empty string
 * counts as unset.
 */
export function hiera3Variables(scope: Scope): Variables {
  const plain = new ScopeVariables(scope);
  const get = (name: string): Value => {
    switch (name) {
      case 'calling_class':
        return findCallingClass(scope);
      case 'calling_class_path':
        return findCallingClass(scope)?.replaceAll('::', '/') ?? null;
      case 'calling_module':
        return plain.get('module_name');
      default:
        return plain.get(name);
    }
  };
  return {
    get: (name) => {
      const value = get(name);
      return value === '' ? null : value;
    },
    exists: (name) => CALLING_NAMES.has(name) || plain.exists(name),
  };
}

const CALLING_NAMES = new Set(['calling_class', 'calling_class_path', 'calling_module']);

function findCallingClass(scope: Scope): string | null {
  for (let each: Scope | null = scope; each; each = each.parent) {
    if (each.source?.kind === 'class') return each.source.name.toLowerCase();
  }
  return null;
}
