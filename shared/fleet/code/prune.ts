import { pruneActivities } from '../../access/accounts/activity-log.ts';
import { pruneAttempts } from '../../access/accounts/log-in-attempts.ts';
import { prunePasswordResets } from '../../access/accounts/password-resets.ts';
import { pruneTokens } from '../../access/accounts/token-store.ts';
import { pruneRevocations } from '../../access/ca/revocation-store.ts';
import { pruneSamlSessions } from '../../access/saml/saml-sessions.ts';
import { pruneUsedAssertions } from '../../access/saml/used-assertions.ts';
import type { SettingValues } from '../../config/settings.ts';
import { listPages } from '../../store/list-pages.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';
import { expireReports } from '../reports/node-reports.ts';
import { pruneWorkHours } from '../reports/work-hours.ts';
import { type PrunedCode, pruneCode } from './prune-code.ts';

export interface PruneReport {
  /**
   * Null: another process was deploying or pruning code, or in AWS this was done within the last
   * day.
   */
  readonly code: PrunedCode | null;
  readonly reportsExpired: number;
  readonly bucketFiles: number;
  /** Number of deleted revocation list parts that were never or are no longer in force. */
  readonly revocationParts: number;
  /** Number of tokens of users that ended more than a day ago. */
  readonly tokens: number;
}

type PrunePorts = Pick<Stores, 'nodes' | 'environments' | 'documents' | 'blobs' | 'clock' | 'processes'>;

/** DynamoDB deletes expired items within two days. */
const EXPIRY_DAYS = 3;

/** The retention of a server: states of an environment, and days. */
export type Retention = Pick<SettingValues, 'keepHistory' | 'keepCode' | 'keepReports' | 'keepBucket'>;

/**
 * Deletes data whose retention has ended. Data that it cannot delete now is left to the next call.
 * With `storesExpire` the stores delete reports and bucket files by themselves (time to live,
 * lifecycle rules): then only what they left for days is deleted here. The documents of the CA are
 * then left to the authority service, which alone may change them. Code is then pruned once a day,
 * because that reads every node: a quarter of a unit for 2 KB of a record. An index with the
 * pointers would be written with each change of facts, which costs more (`npm run cost`).
 */
export async function prune(ports: PrunePorts, options: Retention, storesExpire = false): Promise<PruneReport> {
  const { keepReports, keepBucket } = options;
  const now = ports.clock.now();
  const reportMs = (keepReports + (storesExpire ? EXPIRY_DAYS : 0)) * DAY_MS;
  await pruneAttempts(ports.documents, now);
  if (!storesExpire) {
    await prunePasswordResets(ports.documents, now);
    await pruneUsedAssertions(ports.documents, now);
    await pruneSamlSessions(ports.documents, now);
    await pruneWorkHours(ports.documents, now);
    await pruneActivities(ports.documents, now);
  }
  return {
    reportsExpired: await expireReports(ports, now - reportMs),
    bucketFiles: storesExpire ? 0 : await expireBucket(ports, now - keepBucket * DAY_MS),
    revocationParts: storesExpire ? 0 : await pruneRevocations(ports.documents),
    tokens: await pruneTokens(ports.documents, now),
    code: storesExpire && !(await isCodeDue(ports)) ? null : await pruneCodeNow(ports, options),
  };
}

/** A little less than a day: the call of the same hour of the next day prunes again. */
const CODE_REST_MS = 23 * 3600_000;
const LAST_TIME = { collection: 'code-work', key: 'code-pruned' } as const;

async function isCodeDue({ documents, clock }: PrunePorts): Promise<boolean> {
  const last = await documents.get(LAST_TIME.collection, LAST_TIME.key);
  return Math.abs(clock.now() - Number(last?.at ?? 0)) >= CODE_REST_MS;
}

async function pruneCodeNow(ports: PrunePorts, { keepHistory, keepCode }: Retention): Promise<PrunedCode | null> {
  const at = ports.clock.now();
  const pruned = await pruneCode(ports, { historyKept: keepHistory, keptMs: keepCode * DAY_MS, dryRun: false });
  if (pruned) await ports.documents.put(LAST_TIME.collection, LAST_TIME.key, { at });
  return pruned;
}

async function expireBucket({ blobs }: PrunePorts, before: number): Promise<number> {
  let files = 0;
  for await (const entries of listPages(blobs, 'bucket/')) {
    for (const { key, putAt } of entries) {
      if (putAt >= before) continue;
      await blobs.delete(key);
      files += 1;
    }
  }
  return files;
}
