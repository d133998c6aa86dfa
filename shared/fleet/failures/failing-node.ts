import { cutConstantPrefix } from '../../store/node-summary.ts';
import type { StoredDocument } from '../../store/ports/document-store.ts';
import { isJsonObject } from '../../util/json-object.ts';

/** A failure of a compile, or of a resource in a run. */
export interface NodeFailure {
  /** `File[/etc/motd]`; null for a compile, and for a run that failed as a whole. */
  readonly resource: string | null;
  /** Without the place and the name of the node, at most 500 characters. */
  readonly message: string;
  /** Relative to the folder of its environment, if it is in one; null when it is not known. */
  readonly file: string | null;
  readonly line: number | null;
}

/** `compile`: the code of the node does not compile. `run`: its last run failed. */
export const FAILURE_KINDS = ['compile', 'run'] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

/** A node that fails. */
export interface FailingRecord {
  readonly certname: string;
  readonly environment: string;
  /** When it failed last, in milliseconds. */
  readonly at: number;
  /** The code with which it began to fail; null when it did not begin with other code. */
  readonly beganWith: string | null;
  /** When the run before was, which had another catalog; null when it is not known. */
  readonly goodAt: number | null;
  /** At most 10. */
  readonly failures: readonly NodeFailure[];
  /** Resources that failed; 1 for a compile. */
  readonly failed: number;
}

/** Failures kept of one node. */
export const MOST_NODE_FAILURES = 10;
const LONGEST_MESSAGE = 500;
const LONGEST_NAME = 300;

/** The collection of the nodes that fail in this way, by certname. */
export function collectionOf(kind: FailureKind): string {
  return `failing/${kind}`;
}

export function createNodeFailure({ resource, message, file, line }: NodeFailure): NodeFailure {
  return {
    resource: resource && cut(resource, LONGEST_NAME),
    message: cut(message, LONGEST_MESSAGE),
    file: file && cut(shortenPath(file), LONGEST_NAME),
    line,
  };
}

// Puppet: `(file: %{file}, line: %{line}, column: %{column})`, lib/puppet/util/errors.rb
const PLACE = /\s*\(file: ([^()]*?)(?:, line: (\d+))?(?:, column: \d+)?\)/;

/** Reads the message of a failed compile of a node. */
export function readCompileFailure(message: string, certname: string): NodeFailure {
  const suffix = ` on node ${certname}`;
  const text = cutConstantPrefix(message.endsWith(suffix) ? message.slice(0, -suffix.length) : message);
  const [place, file = null, line] = PLACE.exec(text) ?? [''];
  const rest = text.replace(place, '').trim();
  return createNodeFailure({ resource: null, message: rest || text, file, line: line ? Number(line) : null });
}

/** The path below the folder of its environment. */
function shortenPath(path: string): string {
  return path.replace(/^.*\/environments\/[^/]+\//, '');
}

function cut(text: string, longest: number): string {
  const shown = text.replaceAll('\0', '\ufffd');
  return shown.length > longest ? `${shown.slice(0, longest - 1)}…` : shown;
}

/** Reads a document that `note-failures.ts` wrote. */
export function readFailingRecord(document: StoredDocument): FailingRecord {
  const { certname, environment, at, beganWith, goodAt, failures, failed } = document;
  return {
    certname: String(certname),
    environment: String(environment),
    at: Number(at),
    beganWith: textOrNull(beganWith),
    goodAt: typeof goodAt === 'number' ? goodAt : null,
    failures: Array.isArray(failures) ? failures.filter(isJsonObject).map(readFailure) : [],
    failed: Number(failed),
  };
}

function readFailure({ resource, message, file, line }: StoredDocument): NodeFailure {
  return {
    resource: textOrNull(resource),
    message: String(message),
    file: textOrNull(file),
    line: typeof line === 'number' ? line : null,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
