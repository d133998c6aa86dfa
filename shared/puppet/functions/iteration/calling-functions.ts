import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { callFound } from '../../evaluator/bytes-arguments.ts';
import { BreakSignal, NextSignal, ReturnSignal } from '../../evaluator/control-flow.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import type { Callable, CallSite, PuppetFunction } from '../../evaluator/ports.ts';
import { PuppetObject } from '../../types/objects/puppet-object.ts';
import { Binary } from '../../types/values/binary.ts';
import { BytesText } from '../../types/values/bytes-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';
import { callLocation } from '../support/call-location.ts';
import { yieldTo } from '../support/iteration.ts';

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

/** The functions that call a block or function once, or end one. */
export const CALLING_FUNCTIONS: readonly PuppetFunction[] = [
  defineFunction('break', {
    params: [],
    body: (site) => {
      throw new BreakSignal(callLocation(site));
    },
  }),
  defineFunction(
    'next',
    {
      params: ['?Any value'],
      body: (site, [value = null]) => {
        throw new NextSignal(value, callLocation(site));
      },
    },
    {
      passesNext: true,
    },
  ),
  defineFunction('return', {
    params: ['?Any value'],
    body: (site, [value = null]) => {
      throw new ReturnSignal(value, callLocation(site));
    },
  }),
  defineFunction('lest', {
    params: ['Any arg'],
    block: 'Callable[0,0] block',
    body: (_, [arg = null], block) => (arg === null ? yieldTo(block) : arg),
  }),
  defineFunction('then', {
    params: ['Any arg'],
    block: 'Callable[1,1] block',
    body: (_, [arg = null], block) => (arg === null ? null : yieldTo(block, arg)),
  }),
  defineFunction('with', {
    params: ['*Any arg'],
    block: 'Callable block',
    body: (_, args, block) => yieldTo(block, ...args),
  }),
  /** Calls a function by name, or the function of a Deferred. */
  defineFunction('call', [
    {
      params: ['String function_name', '*Any arguments'],
      block: '?Callable block',
      body: (site, [name, ...args], block) => callByName(site, String(name), args, block),
    },
    { params: ['Deferred deferred'], body: (site, [deferred = null]) => resolveDeferred(site, deferred) },
  ]),
];
