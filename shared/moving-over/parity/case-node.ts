import type { LogEntry } from '../../puppet/errors/compile-log.ts';
import type { NodeInput } from '../../puppet/evaluator/ports.ts';
import { rubyToS } from '../../puppet/types/format/ruby-text.ts';
import { displayString } from '../../puppet/types/format/string-converter.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import type { ParityCase } from './parity-case.ts';

export const DEFAULT_NAME = 'testnode.example.com';
/** The name of the server that compiles the cases. */
export const SERVER_NAME = 'puppet.example.com';

/**
 * Builds the node that a case is compiled for, and collects the warnings that Puppet gives
 * meanwhile. `hash` is the data of the case.
 */
export function nodeInput(parityCase: ParityCase, hash: PuppetHash): { input: NodeInput; warnings: LogEntry[] } {
  const { name = DEFAULT_NAME, environment, server_facts } = parityCase.node ?? {};
  const environmentName = /^[a-z0-9_]+$/.test(environment ?? '') && environment ? environment : 'production';
  const node = hashAt(hash, 'node');
  const facts = hashAt(node, 'facts');
  const warnings: LogEntry[] = [];
  const parameters = parametersOf(node, facts, environmentName, name, warnings);
  for (const [key, value] of hashAt(hash, 'vars').entries()) {
    if (value !== null && !parameters.has(key) && !facts.has(key)) parameters.set(key, value);
  }
  const trusted = node.get('trusted');
  const classes = node.get('classes');
  const input: NodeInput = {
    certname: name,
    environment: environmentName,
    facts,
    trusted: trusted instanceof PuppetHash ? trusted : createTrusted(name),
    serverFacts: server_facts ? serverFacts(environmentName) : new PuppetHash(),
    parameters,
    classes: classes instanceof PuppetHash ? classes : classNames(classes),
  };
  return { input, warnings };
}

/** Puppet: parameters do not replace facts, lib/puppet/node.rb. */
function parametersOf(
  node: PuppetHash,
  facts: PuppetHash,
  environment: string,
  nodeName: string,
  warnings: LogEntry[],
): PuppetHash {
  const parameters = new PuppetHash();
  for (const [key, value] of hashAt(node, 'parameters').entries()) {
    const present = facts.get(key) ?? (key === 'environment' ? environment : undefined);
    if (present === undefined) parameters.set(key, value);
    else warnings.push(alreadySetEntry(nodeName, key, present, value));
  }
  return parameters;
}

function alreadySetEntry(node: string, key: Value, present: Value, value: Value): LogEntry {
  const message = `The node parameter '${displayString(key)}' for node '${node}' was already set to '${rubyToS(present)}'. It could not be set to '${rubyToS(value)}'`;
  return { level: 'warning', message };
}

function hashAt(hash: PuppetHash, key: string): PuppetHash {
  const value = hash.get(key);
  return value instanceof PuppetHash ? value : new PuppetHash();
}

function classNames(value: Value | undefined): readonly string[] {
  return Array.isArray(value) ? value.map((name: Value) => String(name)) : [];
}

function createTrusted(name: string): PuppetHash {
  const dot = name.indexOf('.');
  return PuppetHash.of([
    ['authenticated', 'local'],
    ['certname', name],
    ['extensions', new PuppetHash()],
    ['hostname', dot < 0 ? name : name.slice(0, dot)],
    ['domain', dot < 0 ? null : name.slice(dot + 1)],
    ['external', new PuppetHash()],
  ]);
}

function serverFacts(environment: string): PuppetHash {
  return PuppetHash.of([
    ['serverversion', '0.0.0'],
    ['servername', SERVER_NAME],
    ['serverip', '192.0.2.1'],
    ['environment', environment],
  ]);
}
