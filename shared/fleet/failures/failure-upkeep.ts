import { allDocuments } from '../../store/list-pages.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';
import { canonicalJson } from '../../util/digest.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { listReports } from '../reports/node-reports.ts';
import {
  collectionOf,
  FAILURE_KINDS,
  type FailingRecord,
  type FailureKind,
  readFailingRecord,
} from './failing-node.ts';
import { keepFailureEvent, pruneFailureEvents } from './failure-events.ts';
import { type FailureDeploy, type FailureGroup, groupFailures, type PresentGroup } from './failure-group.ts';
import { FAILURES, listFailureGroups } from './failure-list.ts';

type UpkeepPorts = Pick<Stores, 'nodes' | 'documents' | 'environments' | 'clock'>;

/** Nodes of each kind that are grouped; of more, the last by name are left out. */
const MOST_FAILING = 10_000;
/** Groups that are open at a time: those of most nodes. */
const MOST_OPEN = 500;
/** Time for which closed groups are kept, and their number. */
const CLOSED_MS = 14 * DAY_MS;
const MOST_CLOSED = 500;
/** Interval of looking for nodes that fail no more and are still noted. */
const CHECK_MS = 5 * 60_000;
/** Nodes that one check looks at; the next goes on behind them. */
const MOST_CHECKED = 100;
/** A younger note may be of a compile that is not committed yet. */
const SETTLED_MS = 60_000;
const READS_AT_ONCE = 8;

/**
 * Keeps the groups of failures: reads the nodes that fail now, opens a group for failures without
 * one, and closes a group without nodes. What it reads grows with the nodes that fail, and not with
 * the fleet. One process at a time calls it, every few seconds or minutes; one that is cut short is
 * made up for by the next, which may report an event again.
 */
export class FailureUpkeep {
  readonly #ports: UpkeepPorts;
  #checkedAt = 0;
  #eventAt = 0;
  readonly #checkedUpTo: Record<FailureKind, string> = { compile: '', run: '' };

  constructor(ports: UpkeepPorts) {
    this.#ports = ports;
  }

  /** Returns the number of groups that it opened and closed. */
  async update(): Promise<{ readonly opened: number; readonly closed: number }> {
    const { clock } = this.#ports;
    if (clock.now() - this.#checkedAt >= CHECK_MS) {
      for (const kind of FAILURE_KINDS) await this.#check(kind);
      this.#checkedAt = clock.now();
      await pruneFailureEvents(this.#ports.documents, clock.now());
    }
    const [compile, run] = await Promise.all(FAILURE_KINDS.map((kind) => listFailing(this.#ports.documents, kind)));
    const present = groupFailures({ compile: compile ?? [], run: run ?? [] });
    const largest = present.toSorted((a, b) => b.group.count - a.group.count).slice(0, MOST_OPEN);
    const known = await listFailureGroups(this.#ports.documents);
    const opened = await this.#keepPresent(largest, new Map(known.map((group) => [group.id, group])));
    const closed = await this.#closeOthers(known, new Set(present.map(({ group }) => group.id)));
    return { opened, closed };
  }

  async #keepPresent(present: readonly PresentGroup[], known: ReadonlyMap<string, FailureGroup>): Promise<number> {
    const { documents, environments } = this.#ports;
    let opened = 0;
    for (const { group, members } of present) {
      const before = known.get(group.id) ?? null;
      const isOpen = before !== null && before.closedAt === null;
      const record = isOpen ? null : await environments.get(group.environment);
      const next: FailureGroup = {
        ...group,
        firstAt: isOpen ? Math.min(before.firstAt, group.firstAt) : group.firstAt,
        deploy: isOpen ? before.deploy : record && findDeploy(members, record),
        closedAt: null,
      };
      if (before !== null && canonicalJson({ ...before }) === canonicalJson({ ...next })) continue;
      if (!isOpen) {
        await keepFailureEvent(documents, { at: this.#timeEvent(), what: 'opened', group: next });
        opened += 1;
      }
      await documents.put(FAILURES, group.id, { ...next });
    }
    return opened;
  }

  async #closeOthers(known: readonly FailureGroup[], present: ReadonlySet<string>): Promise<number> {
    const { documents, clock } = this.#ports;
    const now = clock.now();
    const ended = known.filter(({ id, closedAt }) => closedAt === null && !present.has(id));
    for (const group of ended) {
      const closed = { ...group, closedAt: now };
      await keepFailureEvent(documents, { at: this.#timeEvent(), what: 'closed', group: closed });
      await documents.put(FAILURES, group.id, closed);
    }
    const old = known
      .filter(({ closedAt }) => closedAt !== null)
      .toSorted((a, b) => Number(b.closedAt) - Number(a.closedAt))
      .filter(({ closedAt }, index) => Number(closedAt) < now - CLOSED_MS || index >= MOST_CLOSED);
    for (const { id } of old) await documents.delete(FAILURES, id);
    return ended.length;
  }

  /** The time of an event: each is later than the one before, so that consumers miss none. */
  #timeEvent(): number {
    this.#eventAt = Math.max(this.#ports.clock.now(), this.#eventAt + 1);
    return this.#eventAt;
  }

  /** Looks at some of the noted nodes, and forgets those that fail no more or are gone. */
  async #check(kind: FailureKind): Promise<void> {
    const { documents, nodes, clock } = this.#ports;
    const found = await documents.list(collectionOf(kind), '', MOST_CHECKED, this.#checkedUpTo[kind] || undefined);
    this.#checkedUpTo[kind] = found.length < MOST_CHECKED ? '' : (found.at(-1)?.key ?? '');
    const noted = found
      .map(({ key, document }) => ({ key, document, node: readFailingRecord(document) }))
      .filter(({ node }) => clock.now() - node.at >= SETTLED_MS);
    if (noted.length === 0) return;
    const summaries = await nodes.getSummaries(noted.map(({ key }) => key));
    const failed = new Map(summaries.map(({ certname, failure }) => [certname, failure !== null]));
    await inParallel(READS_AT_ONCE, noted, async ({ key, document, node }) => {
      const fails = failed.has(key) && (kind === 'compile' ? failed.get(key) : await this.#failedLast(node));
      if (!fails) await documents.remove(collectionOf(kind), key, document);
    });
  }

  async #failedLast({ certname, at }: FailingRecord): Promise<boolean> {
    const [last] = await listReports(this.#ports, { certname, limit: 1 });
    return last === undefined || last.receivedAt <= at || last.status === 'failed';
  }
}

async function listFailing(
  documents: Pick<DocumentStore, 'list'>,
  kind: FailureKind,
): Promise<readonly FailingRecord[]> {
  const found: FailingRecord[] = [];
  for await (const { document } of allDocuments(documents, collectionOf(kind))) {
    found.push(readFailingRecord(document));
    if (found.length >= MOST_FAILING) break;
  }
  return found;
}

/** The deploy with which most of these nodes began to fail; null when most began without one. */
function findDeploy(members: readonly FailingRecord[], record: EnvironmentRecord): FailureDeploy | null {
  const deploys = listDeploys(record);
  const found = members.map(({ beganWith, goodAt }) =>
    deploys.find(({ codeId, at }) => codeId === beganWith && at >= (goodAt ?? 0)),
  );
  const counts = [...Map.groupBy(found, (deploy) => deploy)].sort(([, a], [, b]) => b.length - a.length);
  return counts[0]?.[0] ?? null;
}

/** The deploys of an environment, newest first; that of its stage is the first. */
function listDeploys({ codeId, deployedAt, by, history, stage }: EnvironmentRecord): readonly FailureDeploy[] {
  const states = [{ codeId, deployedAt, by }, ...history];
  const staged = stage && { codeId: stage.codeId, previous: codeId, at: stage.begunAt, user: stage.by, isStaged: true };
  return [
    ...(staged ? [staged] : []),
    ...states.map((state, index) => ({
      codeId: state.codeId,
      previous: states[index + 1]?.codeId ?? null,
      at: state.deployedAt,
      user: state.by,
      isStaged: false,
    })),
  ];
}
