import { inspectRuby } from '../../../puppet/types/format/ruby-text.ts';
import { displayString } from '../../../puppet/types/format/string-converter.ts';
import { PuppetHash } from '../../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../puppet/types/values/values.ts';
import { BoltError, createRefusal, createValidationError } from '../bolt-error.ts';
import { fromPlain, printPlanJson } from '../plan-json.ts';
import type { PlanRun } from '../plan-run.ts';
import { toError } from './action-results.ts';
import { definePlanFunction, type PlanFunctions } from './plan-function.ts';

/** Plugins that Bolt brings along, and why a server has none of them. */
const UNAVAILABLE: ReadonlyMap<string, string> = new Map([
  ['env_var', "the server's environment variables are not for plans"],
  ['prompt', 'nobody is there to answer'],
  ['task', 'tasks run on nodes, not on the server: use run_task'],
  ...['aws_inventory', 'azure_inventory', 'gcloud_inventory', 'pkcs7', 'terraform', 'vault', 'yaml'].map(
    (name) => [name, 'the server runs no code of plugins'] as const,
  ),
]);
const TARGET_KEYS = ['alias', 'config', 'facts', 'features', 'name', 'uri', 'vars'];
const OWN_KEYS = ['_plugin', '_cache', 'query', 'target_mapping', 'instance'];
const NAMES_AT_ONCE = 100;
/** References within the results of references. */
const MOST_DEEP = 100;

/** References to plugins in data, of which there is `puppetdb`. Follows lib/bolt/plugin.rb. */
export const referenceFunctions: PlanFunctions = (run) => [
  definePlanFunction(run, 'resolve_references', {
    params: ['Data references'],
    body: (_, [data = null]) => new References(run).resolve(data, 0),
  }),
  definePlanFunction(run, 'puppetdb_command', [
    { params: COMMAND, returns: 'String', body: (_, args) => send(run, args) },
    { params: [...COMMAND, 'String instance'], returns: 'String', body: (_, args) => send(run, args) },
  ]),
];

const COMMAND = ['String[1] command', 'Integer version', 'Hash[Data, Data] payload'];

/** Asks the inventory; rows of an answer are hashes. */
export function queryInventory(run: PlanRun, query: string): Value {
  return run.fibers.run(
    () => ({ effect: { kind: 'query', query }, prepared: null }),
    (outcome) => {
      if (outcome.kind === 'fault') throw toError(outcome.fault);
      return outcome.kind === 'value' ? fromPlain(outcome.value) : null;
    },
  );
}

// Bolt: lib/bolt/puppetdb/instance.rb (send_command)
function send(run: PlanRun, [command = '', version = null, payload = null]: readonly Value[]): Value {
  const certname = payload instanceof PuppetHash ? (payload.get('certname') ?? null) : null;
  if (certname === null || certname === false) {
    throw new BoltError("Payload must include 'certname', unable to invoke command.", 'bolt/pdb-command');
  }
  const effect = {
    kind: 'inventory_command',
    command: String(command),
    version: Number(version),
    payload: printPlanJson(payload),
  } as const;
  return run.fibers.run(
    () => ({ effect, prepared: null }),
    (outcome) => {
      if (outcome.kind === 'fault') throw toError(outcome.fault);
      return outcome.kind === 'value' ? fromPlain(outcome.value) : null;
    },
  );
}

class References {
  readonly #run: PlanRun;

  constructor(run: PlanRun) {
    this.#run = run;
  }

  /** Resolves what is inside of a value first. Throws BoltError. */
  resolve(value: Value, depth: number): Value {
    if (depth > MOST_DEEP) {
      throw new BoltError(
        'Stack depth exceeded while recursively resolving references.',
        'bolt/recursive-reference-loop',
      );
    }
    if (Array.isArray(value)) return value.map((one) => this.resolve(one, depth));
    if (!(value instanceof PuppetHash)) return value;
    const inner = PuppetHash.of(Array.from(value, ([key, one]) => [key, this.resolve(one, depth)] as const));
    return inner.has('_plugin') ? this.resolve(this.#resolveOne(inner), depth + 1) : inner;
  }

  #resolveOne(reference: PuppetHash): Value {
    const name = displayString(reference.get('_plugin') ?? null);
    if (name === 'puppetdb') return this.#findTargets(reference);
    const reason = UNAVAILABLE.get(name);
    if (reason === undefined) throw new BoltError(`Unknown plugin: '${name}'`, 'bolt/unknown-plugin');
    throw createRefusal(`resolve_references() cannot use the plugin '${name}' in plans on this server: ${reason}`);
  }

  // Bolt: lib/bolt/plugin/puppetdb.rb
  #findTargets(reference: PuppetHash): Value {
    const names = this.#findNames(reference.get('query') ?? null);
    const misplaced = [...reference.keys()].filter((key) => TARGET_KEYS.includes(String(key)));
    if (misplaced.length > 0) {
      throw createValidationError(
        `PuppetDB plugin expects keys ${inspectRuby(misplaced)} to be set under 'target_mapping'`,
      );
    }
    const unknown = [...reference.keys()].filter((key) => !OWN_KEYS.includes(String(key)));
    if (unknown.length > 0) throw createValidationError(`Unknown keys in PuppetDB plugin: ${inspectRuby(unknown)}`);
    const mapping = reference.get('target_mapping') ?? null;
    const facts = this.#readFacts(names, listPaths(mapping));
    return names.map((certname) => {
      const mapped = fill(mapping, (path) =>
        path === 'certname' ? certname : (facts.get(keyOf(certname, path)) ?? null),
      );
      const target = mapped instanceof PuppetHash ? mapped : new PuppetHash();
      const isNamed = (target.get('uri') ?? null) !== null || (target.get('name') ?? null) !== null;
      return isNamed ? target : target.merge(PuppetHash.of([['uri', certname]]));
    });
  }

  #findNames(query: Value): readonly string[] {
    if (query === null || query === false) return [];
    const answer = queryInventory(this.#run, typeof query === 'string' ? query : printPlanJson(query));
    const rows = (Array.isArray(answer) ? answer : []).filter((one) => one instanceof PuppetHash);
    const [first] = rows;
    if (first !== undefined && !first.has('certname')) {
      const fields = [...first.keys()].map(String).join(', ');
      throw new BoltError(`Query results did not contain a 'certname' field: got ${fields}`, 'bolt/puppetdb-error');
    }
    return [...new Set(rows.map((row) => String(row.get('certname'))))];
  }

  /** The values of facts by node and path. */
  #readFacts(names: readonly string[], paths: readonly string[]): ReadonlyMap<string, Value> {
    const found = new Map<string, Value>();
    if (names.length === 0 || paths.length === 0) return found;
    const facts = ['or', ...paths.map((path) => ['=', 'path', partsOf(path)])];
    for (let start = 0; start < names.length; start += NAMES_AT_ONCE) {
      const some = ['in', 'certname', ['array', names.slice(start, start + NAMES_AT_ONCE)]];
      const answer = queryInventory(this.#run, JSON.stringify(['from', 'fact_contents', ['and', some, facts]]));
      for (const row of Array.isArray(answer) ? answer : []) {
        if (!(row instanceof PuppetHash)) continue;
        const path = printPlanJson(row.get('path') ?? null);
        found.set(`${String(row.get('certname'))} ${path}`, row.get('value') ?? null);
      }
    }
    return found;
  }
}

function keyOf(certname: string, path: string): string {
  return `${certname} ${JSON.stringify(partsOf(path))}`;
}

/** The paths of facts in a mapping, each once; it has texts alone. Throws BoltError. */
function listPaths(mapping: Value): readonly string[] {
  const paths = new Set<string>();
  fill(mapping, (path) => {
    if (path === 'certname') return null;
    partsOf(path);
    paths.add(path);
    return null;
  });
  return [...paths];
}

/** The mapping with its texts replaced. */
function fill(mapping: Value, find: (path: string) => Value): Value {
  if (mapping === null) return null;
  if (typeof mapping === 'string') return find(mapping);
  if (Array.isArray(mapping)) return mapping.map((one) => fill(one, find));
  if (mapping instanceof PuppetHash) {
    return PuppetHash.of(Array.from(mapping, ([key, one]) => [key, fill(one, find)] as const));
  }
  throw createLookupError(displayString(mapping), 'fact lookups must be a string');
}

/** `facts.os.name` as `['os', 'name']`; whole numbers are indexes. Throws BoltError. */
function partsOf(path: string): readonly (string | number)[] {
  const [first, ...others] = path.split('.');
  if (first !== 'facts') throw createLookupError(path, "fact lookups must start with 'facts.'");
  return others.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function createLookupError(fact: string, reason: string): BoltError {
  const message = `Fact lookup '${fact}' contains an invalid factname: ${reason}`;
  return new BoltError(message, 'bolt.plugin/fact-lookup-error');
}
