import { isEnvironmentName } from '../../puppet/environment/directory-environment.ts';
import type { Classification, NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { digestSha256 } from '../../util/digest.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { NamedError } from '../../util/named-error.ts';
import { sendJobs } from './send-jobs.ts';

/** The data is not a classification; the message gives the reason. */
export class InvalidClassification extends NamedError {}

const KEYS = ['classes', 'parameters', 'environment'];
/** A node's record has at most 400 KB in DynamoDB. */
const MOST_BYTES = 100_000;

/**
 * Reads the output of an external node classifier for one node: `classes` (names, or names with
 * their parameters or null), `parameters`, `environment`, each optional. Throws
 * InvalidClassification. Puppet: lib/puppet/indirector/node/exec.rb
 */
export function readClassification(data: unknown): Classification {
  if (!isJsonObject(data)) throw new InvalidClassification('a classification must be a hash');
  const unknown = Object.keys(data).filter((key) => !KEYS.includes(key));
  if (unknown.length > 0) throw new InvalidClassification(`a classification has no key '${unknown[0]}'`);
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes > MOST_BYTES) {
    throw new InvalidClassification(`the classification has ${bytes} bytes; at most ${MOST_BYTES} are allowed`);
  }
  return {
    classes: readClasses(data.classes ?? []),
    parameters: readParameters(data.parameters ?? {}),
    environment: readEnvironment(data.environment ?? null),
  };
}

/**
 * The environment a node is compiled in when it requests `requested`. Puppet:
 * `server_specified_environment`
 */
export function environmentInForce(node: ClassifiedNode | null, requested: string): string {
  return (node && classificationOf(node))?.environment ?? requested;
}

/** The members of a record that classify its node, from all sources. */
export type ClassifiedNode = Pick<NodeRecord, 'classification' | 'grouping' | 'external'>;

/**
 * The classification in force: the operator's, else that of the node groups, else that of an
 * external node classifier. Null when none of them says anything.
 */
export function classificationOf({ classification, grouping, external }: ClassifiedNode): Classification | null {
  return classification ?? grouping?.classification ?? external;
}

/**
 * Digest of a classification as a compile's input; null for none. The order of classes and
 * parameters counts: classes are declared in it, and code can iterate parameters.
 */
export function classificationDigest(classification: Classification | null): string | null {
  if (!classification) return null;
  const { classes, parameters, environment, failure, data } = classification;
  return digestSha256(
    JSON.stringify([
      classes,
      parameters,
      environment,
      ...(failure === undefined ? [] : [failure]),
      ...(data === undefined ? [] : [{ data }]),
    ]),
  );
}

function readClasses(classes: unknown): Classification['classes'] {
  if (Array.isArray(classes)) {
    if (classes.every((name) => typeof name === 'string')) return classes;
    throw new InvalidClassification("'classes' must be names, or names with their parameters");
  }
  if (!isJsonObject(classes))
    throw new InvalidClassification("'classes' must be names, or names with their parameters");
  const read: Record<string, Readonly<Record<string, unknown>> | null> = {};
  for (const [name, parameters] of Object.entries(classes)) {
    if (parameters !== null && !isJsonObject(parameters)) {
      throw new InvalidClassification(`the parameters of class '${name}' must be a hash`);
    }
    read[name] = parameters;
  }
  return read;
}

function readParameters(parameters: unknown): Classification['parameters'] {
  if (isJsonObject(parameters)) return parameters;
  throw new InvalidClassification("'parameters' must be a hash");
}

function readEnvironment(environment: unknown): string | null {
  if (environment === null) return null;
  if (typeof environment === 'string' && isEnvironmentName(environment)) return environment;
  throw new InvalidClassification(`the environment must be purely alphanumeric, not '${String(environment)}'`);
}

/**
 * Sets the node's classification (null: removes it). If it changed, a node that was compiled before
 * is compiled again. Returns whether it changed.
 */
export async function classifyNode(
  certname: string,
  classification: Classification | null,
  { nodes, queue, clock }: Pick<Stores, 'nodes' | 'queue' | 'clock'>,
): Promise<boolean> {
  const before = (await nodes.get(certname))?.classification ?? null;
  if (classificationDigest(before) === classificationDigest(classification)) return false;
  const reason = classification === null ? 'classification taken away' : 'classification changed';
  const at = clock.now();
  const node = await nodes.classify(certname, classification, reason, at);
  if (node.isJobDue) await sendJobs('express', [{ certname, generation: node.wanted, reason, at }], { nodes, queue });
  return true;
}

/** A program of the operator's that classifies nodes, as Puppet's `exec` terminus asks it. */
export interface ExternalClassifier {
  /**
   * Asks for the classification of a node; null when the program knows nothing of it. Rejects with
   * ExternalClassifierFailed.
   */
  classify(certname: string): Promise<Classification | null>;
}

/** The external node classifier gave no answer that can be used; the message says why. */
export class ExternalClassifierFailed extends NamedError {}
