import { inspectString } from '../../puppet/ruby-core/ruby-inspect.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { BoltError, createRefusal } from './bolt-error.ts';
import type { ResourceState } from './resource-instance.ts';

/** Transports that a server has none of; their targets are refused. */
const FOREIGN = /^(ssh|winrm|docker|podman|lxd|local|remote|jail|choria):\/\//;

/** The state of one target in a plan. Follows lib/bolt/inventory/target.rb. */
interface TargetState {
  readonly name: string;
  readonly uri: string | null;
  readonly aliases: readonly string[];
  vars: PuppetHash;
  facts: PuppetHash;
  config: PuppetHash;
  readonly features: Set<string>;
  /** Resources by their references. */
  readonly resources: Map<string, ResourceState>;
}

/** The name of the group of all targets. */
const ALL = 'all';

/**
 * The targets of a plan: nodes by their names. There are no groups but `all`, which has the targets
 * that the plan has named so far. Follows lib/bolt/inventory/inventory.rb.
 */
export class PlanInventory {
  readonly #targets = new Map<string, TargetState>();
  readonly #aliases = new Map<string, string>();

  /** Makes a target, or replaces it. Throws BoltError. */
  create(data: ReadonlyMap<string, Value>): TargetState {
    const uri = textOf(data.get('uri'));
    const name = textOf(data.get('name')) ?? (uri === null ? null : nameOf(uri));
    if (name === null) throw createInventoryError('Target must have either a name or uri');
    const aliases = [data.get('target_alias') ?? data.get('alias') ?? []].flat().map(String);
    checkName(name);
    const state: TargetState = {
      name,
      uri: uri ?? null,
      aliases,
      vars: hashOf(data.get('vars')),
      facts: hashOf(data.get('facts')),
      config: hashOf(data.get('config')),
      // Every node has an agent.
      features: new Set(['puppet-agent', ...listOf(data.get('features')).map(String)]),
      resources: new Map(),
    };
    if (name === ALL) throw createInventoryError(`Target name ${name} conflicts with group of the same name`);
    this.#targets.set(name, state);
    for (const alias of aliases) this.#addAlias(alias, name);
    return state;
  }

  /** The state of a target that the plan knows. */
  get(name: string): TargetState {
    const state = this.#targets.get(name);
    if (state === undefined) throw new Error(`invariant: the target ${name} was made`);
    return state;
  }

  /** The names of targets that a text means: names, the group, or patterns between commas. */
  expand(text: string): readonly string[] {
    return text
      .split(/[\s,]+/)
      .filter((part) => part !== '')
      .flatMap((part) => this.#resolve(part));
  }

  /** Rejects groups: there is only the one that has all targets anyway. */
  addToGroup(group: string): void {
    if (group !== ALL) throw createInventoryError(`Group ${group} does not exist in inventory`);
  }

  removeFromGroup(targets: readonly string[], group: string): void {
    if (targets.length !== 1) {
      throw createInventoryError(`'remove_from_group' expects a single Target, got ${targets.length}`);
    }
    if (group === ALL) throw createInventoryError("Cannot remove Target from Group 'all'");
    this.addToGroup(group);
  }

  addFacts(name: string, facts: PuppetHash): void {
    const state = this.get(name);
    state.facts = mergeDeep(state.facts, facts);
  }

  setVariable(name: string, key: string, value: Value): void {
    const state = this.get(name);
    state.vars = state.vars.merge(PuppetHash.of([[key, value]]));
  }

  /**
   * Has a target keep a resource. A resource of the same reference stays: it gets the states of the
   * new one, and its events after its own.
   */
  setResource(reference: string, resource: ResourceState): ResourceState {
    const { resources } = this.get(resource.target.name);
    const known = resources.get(reference);
    if (known === undefined) {
      resources.set(reference, resource);
      return resource;
    }
    known.state = resource.state;
    known.desiredState = resource.desiredState;
    known.events = [...known.events, ...resource.events];
    return known;
  }

  #resolve(part: string): readonly string[] {
    if (part === ALL) return [...this.#targets.keys()];
    if (this.#targets.has(part)) return [part];
    const alias = this.#aliases.get(part);
    if (alias !== undefined) return [alias];
    if (/[*?[\]{}]/.test(part) && !/^[a-z]+:\/\//.test(part)) return this.#match(part);
    const state = this.create(new Map([['uri', part]]));
    return [state.name];
  }

  #match(pattern: string): readonly string[] {
    const wanted = globPattern(pattern);
    const names = [...this.#targets.keys()].filter((name) => wanted.test(name));
    const all = wanted.test(ALL) ? [...this.#targets.keys()] : [];
    const found = [...new Set([...all, ...names])];
    if (found.length > 0) return found;
    throw new BoltError(`Found 0 targets matching wildcard pattern ${pattern}`, 'bolt.inventory/wildcard-error');
  }

  #addAlias(alias: string, name: string): void {
    const known = this.#aliases.get(alias);
    if (known !== undefined && known !== name) {
      throw createInventoryError(`Alias ${alias} refers to multiple targets: ${known} and ${name}`);
    }
    this.#aliases.set(alias, name);
  }
}

/** The kind of errors that have no place in the code. */
export const INVENTORY_ERROR = 'bolt.inventory/validation-error';

export function createInventoryError(message: string): BoltError {
  return new BoltError(message, INVENTORY_ERROR, { path: [] });
}

/** The name of a target of that URI. Throws BoltError for transports that a server has none of. */
function nameOf(uri: string): string {
  if (FOREIGN.test(uri)) {
    throw createRefusal(`Targets are nodes whose agents are connected to this server: ${uri} needs another transport`);
  }
  return uri.replace(/^pcp:\/\//, '');
}

function checkName(name: string): void {
  if (/[^\x20-\x7e]/.test(name)) throw createInventoryError(`Target name must be ASCII characters: ${name}`);
  const [illegal] = /[\s,]/.exec(name) ?? [];
  if (illegal !== undefined) throw createInventoryError(`Illegal character '${illegal}' in target name '${name}'`);
}

/** Ruby: File.fnmatch with FNM_CASEFOLD */
function globPattern(pattern: string): RegExp {
  const source = pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, (char) => {
    if (char === '*') return '.*';
    if (char === '?') return '.';
    return char === '[' || char === ']' ? char : `\\${char}`;
  });
  try {
    return new RegExp(`^${source}$`, 'i');
  } catch {
    throw createInventoryError(`The pattern ${inspectString(pattern)} cannot be read`);
  }
}

/** Merges hashes within hashes. */
export function mergeDeep(first: PuppetHash, second: PuppetHash): PuppetHash {
  const merged = PuppetHash.of(first);
  for (const [key, value] of second) {
    const known = merged.get(key);
    merged.set(key, known instanceof PuppetHash && value instanceof PuppetHash ? mergeDeep(known, value) : value);
  }
  return merged;
}

function textOf(value: Value | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function hashOf(value: Value | undefined): PuppetHash {
  return value instanceof PuppetHash ? value : new PuppetHash();
}

function listOf(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : [];
}
