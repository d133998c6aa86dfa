import { PuppetError } from '../errors/puppet-error.ts';
import { defineFunction } from '../evaluator/native-function.ts';
import type { CallSite } from '../evaluator/ports.ts';
import type { RubyDispatch, RubyFunctionDescription, RubyParameter } from '../evaluator/ruby-port.ts';
import type { PType } from '../types/ptype.ts';
import { TypeAliasType } from '../types/reference-types.ts';
import { parseType, type TypeResolver } from '../types/type-parser.ts';
import type { Value } from '../types/values/values.ts';

const MARKERS: Readonly<Record<RubyParameter['kind'], string>> = {
  required: '',
  optional: '?',
  repeated: '*',
  required_repeated: '+',
};

/** Converts a Ruby dispatch to a dispatch of `defineFunction`. */
export function signatureOf({ parameters, block }: RubyDispatch): {
  params: readonly string[];
  block?: string;
} {
  const params = parameters.map(({ kind, type, name }) => `${MARKERS[kind]}${type} ${name}`);
  return block ? { params, block: `${block.isOptional ? '?' : ''}${block.type} ${block.name}` } : { params };
}

/**
 * Resolves the aliases of `local_types`, each `Name = Type`, and then the types that `others`
 * finds.
 */
export function localTypes({ localTypes: texts }: RubyFunctionDescription, others: TypeResolver): TypeResolver {
  const aliases = new Map<string, PType>();
  const resolve: TypeResolver = (name) => aliases.get(name.toLowerCase()) ?? others(name);
  for (const text of texts) {
    const [, alias = '', type = ''] = /^\s*(?:type\s+)?([\w:]+)\s*=\s*([\s\S]*)$/.exec(text) ?? [];
    aliases.set(alias.toLowerCase(), new TypeAliasType(alias, () => parseType(type, resolve)));
  }
  return resolve;
}

/**
 * Returns Puppet's message for arguments that no dispatch of the function accepts; blocks are not
 * considered.
 */
export function argumentMismatch(
  site: CallSite,
  description: RubyFunctionDescription,
  args: readonly Value[],
  others: TypeResolver,
): string {
  const stand = defineFunction(
    description.name,
    description.dispatches
      .filter(({ isMismatch }) => !isMismatch)
      .map((dispatch) => ({ ...signatureOf(dispatch), body: () => null })),
    {
      localTypes: localTypes(description, others),
    },
  );
  try {
    stand.call(site, args, null);
  } catch (error) {
    if (error instanceof PuppetError) return error.message;
    throw error;
  }
  return `'${description.name}' expects other arguments than it got`;
}
