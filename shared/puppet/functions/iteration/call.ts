import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { callFound } from '../../evaluator/bytes-arguments.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, CallSite } from '../../evaluator/ports.ts';
import { PuppetObject } from '../../types/objects/puppet-object.ts';
import { Binary } from '../../types/values/binary.ts';
import { BytesText } from '../../types/values/bytes-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';

/** Calls a function by name, or the function of a Deferred. */
export const call = defineFunction('call', {
  dispatches: [
    {
      params: ['String function_name', '*Any arguments'],
      block: '?Callable block',
      body: (site, [name, ...args], block) => callByName(site, String(name), args, block),
    },
    { params: ['Deferred deferred'], body: (site, [deferred = null]) => resolveDeferred(site, deferred) },
  ],
});

function callByName(site: CallSite, name: string, args: readonly Value[], block: Callable | null): Value {
  const found = site.context.definitions.findFunction(name, site.node?.locator.file);
  if (!found) throw new PuppetError(ISSUES.FUNCTION_UNKNOWN({ name }));
  return callFound(found, site, args, block);
}

/** Resolves every Deferred in a value. Puppet: lib/puppet/pops/evaluator/deferred_resolver.rb. */
function resolveDeferred(site: CallSite, value: Value): Value {
  if (Array.isArray(value)) return value.map((item: Value) => resolveDeferred(site, item));
  if (value instanceof PuppetHash) {
    return PuppetHash.of(Array.from(value, ([key, item]) => [key, resolveDeferred(site, item)] as const));
  }
  if (value instanceof Sensitive) return new Sensitive(resolveDeferred(site, value.unwrap()));
  if (value instanceof Binary) return BytesText.fromBytes(value.bytes);
  if (value instanceof PuppetObject && value.type.name === 'Deferred') return resolveCall(site, value);
  return value;
}

function resolveCall(site: CallSite, deferred: PuppetObject): Value {
  const name = String(deferred.get('name') ?? '');
  const given = deferred.get('arguments') ?? null;
  const args = (Array.isArray(given) ? given : []).map((item: Value) => resolveDeferred(site, item));
  const scope = site.context.topScope;
  const here = { ...site, scope };
  if (name.startsWith('$')) return callByName(here, 'dig', [scope.getVariable(name.slice(1)), ...args], null);
  return callByName(here, name, args, null);
}
