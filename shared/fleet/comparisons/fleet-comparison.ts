import { takeWithin } from '../../util/take-within.ts';
import { type ChangedNodes, ChangeGroups } from '../previews/change-groups.ts';
import { type AlikeFailures, MessageGroups } from '../previews/message-groups.ts';
import type { NodeComparison } from './node-comparison.ts';

/** The comparison of many nodes. */
export interface FleetComparison {
  readonly compared: number;
  readonly equal: number;
  readonly different: number;
  readonly failing: number;
  readonly unknown: number;
  /** When the oldest and the newest comparison were made; null without any. */
  readonly since: number | null;
  readonly until: number | null;
  /** Differences by cause, the largest group first; a node may be in several. */
  readonly groups: readonly ChangedNodes[];
  /** Nodes that do not compile here, by error, the largest group first. */
  readonly failures: readonly AlikeFailures[];
  /** Nodes that could not be compared, by reason. */
  readonly unknowns: readonly AlikeFailures[];
  /** Changes and messages that the groups leave out, with those that comparisons leave out. */
  readonly omitted: number;
}

/** Sums comparisons of nodes up, one at a time. */
export class ComparisonSummary {
  readonly #counts = { equal: 0, different: 0, failing: 0, unknown: 0 };
  readonly #groups = new ChangeGroups();
  readonly #failures = new MessageGroups();
  readonly #unknowns = new MessageGroups();
  /** Changes that comparisons of nodes only count. */
  #unlisted = 0;
  #since: number | null = null;
  #until: number | null = null;

  add(comparison: NodeComparison): void {
    const { certname, at } = comparison;
    this.#counts[comparison.outcome] += 1;
    this.#since = Math.min(this.#since ?? at, at);
    this.#until = Math.max(this.#until ?? at, at);
    if (comparison.outcome === 'different') {
      this.#groups.add(certname, comparison.changes);
      this.#unlisted += comparison.omitted;
    }
    if (comparison.outcome === 'failing') this.#failures.add(certname, comparison.message);
    if (comparison.outcome === 'unknown') this.#unknowns.add(certname, comparison.message);
  }

  read(): FleetComparison {
    const { equal, different, failing, unknown } = this.#counts;
    return {
      compared: equal + different + failing + unknown,
      ...this.#counts,
      since: this.#since,
      until: this.#until,
      groups: this.#groups.list(),
      failures: this.#failures.list(),
      unknowns: this.#unknowns.list(),
      omitted: this.#unlisted + this.#groups.omitted + this.#failures.omitted + this.#unknowns.omitted,
    };
  }
}

/** The sum with the largest groups, in about `most` bytes of JSON; it counts the others. */
export function limitSummary(found: FleetComparison, most: number): FleetComparison {
  const share = Math.floor(most / 3);
  const groups = takeWithin(share, found.groups);
  const failures = takeWithin(share, found.failures);
  const unknowns = takeWithin(share, found.unknowns);
  const changes = found.groups.slice(groups.length).reduce((sum, { differences }) => sum + differences.length, 0);
  const messages = found.failures.length + found.unknowns.length - failures.length - unknowns.length;
  return { ...found, groups, failures, unknowns, omitted: found.omitted + changes + messages };
}
