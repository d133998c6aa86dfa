import { HashType } from '../../puppet/types/collection-types.ts';
import { DATA } from '../../puppet/types/data-types.ts';
import { inferSet } from '../../puppet/types/inference.ts';
import { describeMismatch } from '../../puppet/types/mismatch-describer.ts';
import { STRING } from '../../puppet/types/string-types.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { PlanCodeError } from './bolt-error.ts';
import type { Fibers } from './fibers.ts';
import { PlanObject, type TargetValue } from './plan-objects.ts';
import type { PlanTypes } from './plan-types.ts';

/** The type of states and events. */
const HASH = new HashType(STRING, DATA);

/** The state of a resource, which plans change. */
export interface ResourceState {
  readonly target: TargetValue;
  /** Such as `File`. */
  readonly type: string;
  readonly title: string;
  state: PuppetHash;
  desiredState: PuppetHash;
  events: readonly Value[];
}

/** The parts of a run that its resources use. */
interface ResourceContext {
  readonly types: PlanTypes;
  readonly fibers: Fibers;
}

/** Makes the state of a resource from attributes of the type ResourceInstance. */
export function createResourceState(target: TargetValue, attributes: ReadonlyMap<string, Value>): ResourceState {
  return {
    target,
    type: capitalize(String(attributes.get('type') ?? '')),
    title: String(attributes.get('title') ?? ''),
    state: hashOf(attributes.get('state')),
    desiredState: hashOf(attributes.get('desired_state')),
    events: listOf(attributes.get('events')),
  };
}

/** The name under which a target keeps a resource: `File[/etc/motd]`. */
export function formatReference(type: string, title: string): string {
  return `${capitalize(type)}[${title}]`;
}

/** A resource of a target in a plan. Follows lib/bolt/resource_instance.rb. */
export class ResourceInstanceValue extends PlanObject {
  readonly resource: ResourceState;
  readonly #fibers: Fibers;
  protected readonly methods = {
    reference: () => this.reference,
    '[]': ([key = null]: readonly Value[]) => this.#fibers.once(() => this.resource.state.get(key) ?? null),
    add_event: ([event = null]: readonly Value[]) =>
      this.#fibers.once(() => {
        this.resource.events = [...this.resource.events, this.#demandHash('add_event', event)];
        return this.resource.events;
      }),
    set_state: this.#define('set_state', 'state', (before, given) => before.merge(given)),
    overwrite_state: this.#define('overwrite_state', 'state', (_, given) => given),
    set_desired_state: this.#define('set_desired_state', 'desiredState', (before, given) => before.merge(given)),
    overwrite_desired_state: this.#define('overwrite_desired_state', 'desiredState', (_, given) => given),
  };

  constructor({ types, fibers }: ResourceContext, resource: ResourceState) {
    super(types.object('ResourceInstance'), new Map());
    this.#fibers = fibers;
    this.resource = resource;
  }

  get reference(): string {
    return formatReference(this.resource.type, this.resource.title);
  }

  override get(attribute: string): Value | undefined {
    switch (attribute) {
      case 'target':
      case 'type':
      case 'title':
        return this.resource[attribute];
      case 'state':
      case 'events':
        return this.#fibers.once(() => this.resource[attribute]);
      case 'desired_state':
        return this.#fibers.once(() => this.resource.desiredState);
      default:
        return undefined;
    }
  }

  /** The resource as a hash, with the target itself. */
  override toInitHash(): PuppetHash {
    const names = ['target', 'type', 'title', 'state', 'desired_state', 'events'];
    return PuppetHash.of(names.map((name) => [name, this.get(name) ?? null] as const));
  }

  override ownText(): string {
    return this.reference;
  }

  override equalityKey(): string {
    return `resource:${JSON.stringify([this.resource.target.name, this.resource.type, this.resource.title])}`;
  }

  override eqlKey(): string {
    return this.equalityKey();
  }

  #define(
    name: string,
    changed: 'state' | 'desiredState',
    make: (before: PuppetHash, given: PuppetHash) => PuppetHash,
  ): (args: readonly Value[]) => Value {
    return ([given = null]) =>
      this.#fibers.once(() => {
        this.resource[changed] = make(this.resource[changed], this.#demandHash(name, given));
        return this.resource[changed];
      });
  }

  #demandHash(method: string, value: Value): PuppetHash {
    if (value instanceof PuppetHash && HASH.isInstance(value)) return value;
    const subject = `'function ResourceInstance[${method}]' parameter ''`;
    throw new PlanCodeError(describeMismatch(subject, HASH, inferSet(value)).trim());
  }
}

/** Ruby: String#capitalize */
function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).toLowerCase()}`;
}

function hashOf(value: Value | undefined): PuppetHash {
  return value instanceof PuppetHash ? value : new PuppetHash();
}

function listOf(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : [];
}
