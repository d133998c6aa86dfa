import type { StoredDocument } from '../../store/ports/document-store.ts';
import { canonicalJson, digestSha256 } from '../../util/digest.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { FailingRecord, FailureKind, NodeFailure } from './failing-node.ts';
import { createFold, createMask } from './fold-message.ts';

/** The deploy with which a failure began. */
export interface FailureDeploy {
  readonly codeId: string;
  /** The code before; null when it is not known any more. */
  readonly previous: string | null;
  readonly at: number;
  readonly user: string;
  /** Whether the code was in force for canaries alone. */
  readonly isStaged: boolean;
}

/** Equal failures of an environment's nodes. */
export interface FailureGroup {
  readonly id: string;
  readonly kind: FailureKind;
  readonly environment: string;
  /** Null for compiles, and for runs that failed as a whole. */
  readonly resource: string | null;
  /**
   * With several nodes, `<certname>`, `<hostname>`, `<number>` … stand for what differs, here and
   * in the resource.
   */
  readonly message: string;
  /** The places in the code, at most 10, those of most nodes first. */
  readonly lines: readonly CodeLine[];
  /** Number of nodes that fail in this way; when it is closed, those that did last. */
  readonly count: number;
  /** The first 200 of them by name. */
  readonly nodes: readonly string[];
  /** When the first of them failed, and the last, in milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Null when it did not begin with a deploy, as far as it is known. */
  readonly deploy: FailureDeploy | null;
  /** When no node failed in this way any more; null while one does. */
  readonly closedAt: number | null;
}

/** A place in the code, relative to the folder of the environment. */
export interface CodeLine {
  readonly file: string;
  readonly line: number | null;
}

/** Nodes that a group names. */
const MOST_GROUP_NODES = 200;
const MOST_LINES = 10;

interface Draft {
  readonly kind: FailureKind;
  readonly environment: string;
  readonly folded: Pick<NodeFailure, 'resource' | 'message'>;
  readonly first: Pick<NodeFailure, 'resource' | 'message'>;
  readonly members: Map<string, FailingRecord>;
  readonly lines: Map<string, { readonly place: CodeLine; count: number }>;
}

/** A group of nodes that fail now, with the nodes. */
export interface PresentGroup {
  readonly group: Omit<FailureGroup, 'deploy' | 'closedAt'>;
  readonly members: readonly FailingRecord[];
}

/**
 * Groups failures by kind, environment, resource and message. A run without a catalog is left out
 * where the compile failed: it is the same failure.
 */
export function groupFailures(nodes: Readonly<Record<FailureKind, readonly FailingRecord[]>>): readonly PresentGroup[] {
  const drafts = new Map<string, Draft>();
  const uncompiled = new Set(nodes.compile.map(({ certname }) => certname));
  for (const node of nodes.compile) for (const failure of node.failures) addFailure(drafts, 'compile', node, failure);
  for (const node of nodes.run) {
    for (const failure of node.failures) {
      if (!uncompiled.has(node.certname) || !isWithoutCatalog(failure)) addFailure(drafts, 'run', node, failure);
    }
  }
  return [...drafts].map(([id, draft]) => showDraft(id, draft));
}

// Puppet: lib/puppet/configurer.rb, "Could not retrieve catalog from remote server: %{detail}"
function isWithoutCatalog({ resource, message }: NodeFailure): boolean {
  return resource === null && /^Could not retrieve catalog/.test(message);
}

function addFailure(drafts: Map<string, Draft>, kind: FailureKind, node: FailingRecord, failure: NodeFailure): void {
  const { certname, environment } = node;
  const { resource, message, file, line } = failure;
  const folded = {
    resource: resource && createMask(certname)(resource),
    message: createFold(certname)(message),
  };
  const key = [kind, environment, folded.resource, folded.message];
  const id = digestSha256(canonicalJson(key)).slice(0, 16);
  const first = { resource, message };
  const draft = drafts.get(id) ?? { kind, environment, folded, first, members: new Map(), lines: new Map() };
  drafts.set(id, draft);
  draft.members.set(certname, node);
  if (file === null) return;
  const place = `${file}:${line}`;
  const seen = draft.lines.get(place) ?? { place: { file, line }, count: 0 };
  draft.lines.set(place, seen);
  seen.count += 1;
}

function showDraft(id: string, { kind, environment, folded, first, members, lines }: Draft): PresentGroup {
  const nodes = [...members.keys()].sort();
  const times = [...members.values()].map(({ at }) => at);
  const places = [...lines.values()].sort((a, b) => b.count - a.count).map(({ place }) => place);
  const group = {
    ...{ id, kind, environment },
    ...(nodes.length > 1 ? folded : first),
    lines: places.slice(0, MOST_LINES),
    count: nodes.length,
    nodes: nodes.slice(0, MOST_GROUP_NODES),
    firstAt: times.reduce((one, other) => Math.min(one, other)),
    lastAt: times.reduce((one, other) => Math.max(one, other)),
  };
  return { group, members: [...members.values()] };
}

/** Reads a stored group. */
export function readFailureGroup(id: string, document: StoredDocument): FailureGroup {
  const { kind, environment, resource, message, lines, count, nodes, firstAt, lastAt, deploy, closedAt } = document;
  return {
    id,
    kind: kind === 'run' ? 'run' : 'compile',
    environment: String(environment),
    resource: typeof resource === 'string' ? resource : null,
    message: String(message),
    lines: listObjects(lines).map(({ file, line }) => ({
      file: String(file),
      line: typeof line === 'number' ? line : null,
    })),
    count: Number(count),
    nodes: Array.isArray(nodes) ? nodes.map(String) : [],
    firstAt: Number(firstAt),
    lastAt: Number(lastAt),
    deploy: isJsonObject(deploy) ? readDeploy(deploy) : null,
    closedAt: typeof closedAt === 'number' ? closedAt : null,
  };
}

function readDeploy({ codeId, previous, at, user, isStaged }: StoredDocument): FailureDeploy {
  return {
    codeId: String(codeId),
    previous: typeof previous === 'string' ? previous : null,
    at: Number(at),
    user: String(user),
    isStaged: isStaged === true,
  };
}

function listObjects(value: unknown): readonly StoredDocument[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
