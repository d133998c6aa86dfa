import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError } from '../errors/lookup-error.ts';
import type { LookupRequest, LookupService, MethodReceiver } from '../evaluator/ports.ts';
import type { Scope } from '../evaluator/scope.ts';
import { assertInstance } from '../types/assertion.ts';
import type { PuppetObject } from '../types/objects/puppet-object.ts';
import { LOOKUP_CONTEXT } from '../types/objects/standard-objects.ts';
import type { PType } from '../types/ptype.ts';
import type { Value } from '../types/values/values.ts';
import type { Explainer } from './explainer.ts';
import { HieraCache } from './hiera-cache.ts';
import { Invocation } from './invocation.ts';
import { LocationState, LookupContext } from './lookup-context.ts';
import { LookupSession } from './lookup-session.ts';

/**
 * Creates Hiera for one compile. `cache` holds parsed data files and is shared by all compiles of a
 * process. Puppet: lib/puppet/pops/lookup.rb.
 */
export function createLookupService(cache: HieraCache = new HieraCache()): LookupService {
  return new Hiera(cache);
}

/** Runs a lookup with `scope`'s own lookup service and records its steps in `explainer`. */
export function lookupExplained(scope: Scope, request: LookupRequest, explainer: Explainer): Value {
  const { lookup } = scope.context;
  if (!(lookup instanceof Hiera)) throw new Error('only Hiera explains what it does');
  return lookup.lookupExplained(scope, request, explainer);
}

class Hiera implements LookupService {
  readonly #cache: HieraCache;
  #session: LookupSession | null = null;
  readonly #contexts = new WeakMap<PuppetObject, LookupContext>();

  constructor(cache: HieraCache) {
    this.#cache = cache;
  }

  lookup(scope: Scope, request: LookupRequest): Value {
    const { override: overrides, defaultValues: defaults } = request;
    const session = this.#sessionOf(scope);
    const invocation = new Invocation(session, scope, { overrides, defaults });
    if (request.fromHieraFunction) {
      invocation.hieraCall = true;
      invocation.locationOverrides = request.locations ?? [];
      if (!session.layers.hasEnvironmentData(invocation)) invocation.globalOnly = true;
    }
    return answer(invocation, request);
  }

  lookupKey(scope: Scope, key: string): Value {
    const session = this.#sessionOf(scope);
    const found = session.lookup(key, null, new Invocation(session, scope));
    return found === undefined ? failMissing([key]) : found;
  }

  lookupExplained(scope: Scope, request: LookupRequest, explainer: Explainer): Value {
    const { override: overrides, defaultValues: defaults } = request;
    return answer(new Invocation(this.#sessionOf(scope), scope, { overrides, defaults, explainer }), request);
  }

  lookupClassParameter(scope: Scope, key: string): Value | undefined {
    const session = this.#sessionOf(scope);
    return session.lookup(key, null, new Invocation(session, scope));
  }

  methodsOf(scope: Scope, object: PuppetObject): MethodReceiver | null {
    if (object.shape !== LOOKUP_CONTEXT) return null;
    const known = this.#contexts.get(object);
    if (known) return known;
    const session = this.#sessionOf(scope);
    const context = new LookupContext(session.current ?? new Invocation(session, scope), new LocationState(), null);
    this.#contexts.set(object, context);
    return context;
  }

  #sessionOf(scope: Scope): LookupSession {
    this.#session ??= new LookupSession(scope.context, this.#cache);
    return this.#session;
  }
}

function answer(invocation: Invocation, request: LookupRequest): Value {
  const { names, valueType, merge, defaultValue, defaultBlock } = request;
  const checked = valueType ? (subject: string, value: Value) => check(subject, valueType, value) : undefined;
  const found = invocation.session.search(names, merge, invocation, checked);
  if (found !== undefined) return found;
  const [name = ''] = names;
  if (defaultBlock) {
    const value = defaultBlock.call(names.length === 1 ? name : names);
    return check('Value returned from default block', valueType, value);
  }
  if (defaultValue !== undefined) return check('Default value', valueType, defaultValue);
  return failMissing(names);
}

function failMissing(names: readonly string[]): never {
  const quoted = names.map((each) => `'${each}'`).join(', ');
  throw new LookupError(
    names.length === 1
      ? ISSUES.LOOKUP_NAME_NOT_FOUND({ name: quoted })
      : ISSUES.LOOKUP_NAMES_NOT_FOUND({ names: quoted }),
  );
}

function check(subject: string, type: PType | null, value: Value): Value {
  return type ? assertInstance(subject, type, value) : value;
}
