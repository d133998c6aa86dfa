import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER } from './code.ts';
import { connectAgent, waitForJobs } from './tainted-jobs.ts';
import { type TaintedSite, waitUntil } from './tainted-site.ts';

const HOUR_MS = 3600_000;
/** Longer than a day, since some things are kept for one. */
export const DAY_MS = 26 * HOUR_MS;
const REPORT = {
  ...{ host: OWNER, status: 'changed', transaction_uuid: 'u-1', catalog_uuid: 'c-1', time: '2026-01-01T00:00:00Z' },
  ...{ report_format: 12, puppet_version: '8.10.0', configuration_version: '1', environment: 'production' },
  ...{ metrics: {}, logs: [], resource_statuses: {} },
};

/**
 * Lets a day pass while the server runs: schedules run, tokens expire, what is old is discarded,
 * code changes, and a node gets its catalog and reports. Returns what its agent got.
 */
export async function passDay(tainted: TaintedSite, facts: Readonly<Record<string, unknown>>): Promise<string> {
  const { day, site } = tainted;
  const { body } = await tainted.send('orchestrator', 'GET', '/orchestrator/v1/jobs', undefined);
  day.pass(2 * HOUR_MS);
  await waitUntil(async () => (await tainted.ask('access', 'GET', CURRENT, undefined)).status === 401);
  // The broker closed the connections of before: they had no frame for hours.
  const agent = await connectAgent(tainted);
  await tainted.renewTokens();
  await waitForJobs(tainted, JSON.parse(body).items.length + 1);
  agent.close();
  day.pass(DAY_MS - 2 * HOUR_MS);
  const manifest = join(site.controlRepo, 'environments/production/manifests/site.pp');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('include site::looked', '$&\n  notify { "added": }'));
  let catalog = '';
  await waitUntil(async () => {
    catalog = (await tainted.getCatalog(OWNER, facts)).body;
    return catalog.includes('"added"');
  });
  const report = `/puppet/v3/report/${OWNER}?environment=production`;
  const headers = [['Content-Type', 'application/json']] as const;
  const sent = { port: 'frontDoor', method: 'PUT', path: report, headers, who: OWNER } as const;
  await site.ask({ ...sent, body: JSON.stringify(REPORT) });
  return JSON.stringify(agent.got) + catalog;
}

const CURRENT = '/rbac-api/v1/users/current';
