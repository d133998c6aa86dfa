import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BESIDE } from '../../helpers/material-beside.ts';
import { hasModules } from '../../modules/installed-modules.ts';
import type { ReplayAnswer } from './asking.ts';
import { type Compared, compared } from './comparison.ts';
import { CURL_DIFFERENCES } from './curl-differences.ts';
import { curlExchanges, hasCurlRecordings } from './curl-recordings.ts';
import { common, wholePart } from './cut-json.ts';
import { PuppetServer, startsPuppetServer } from './puppetserver.ts';
import { Understudy } from './understudy.ts';

const CODE = '/etc/puppetlabs/code';
const RUNS = hasCurlRecordings() && hasModules();
const exchanges = RUNS ? curlExchanges() : [];
const folder = mkdtempSync(join(tmpdir(), 'understudy-curl-'));
const controlRepo = join(folder, 'control-repo');
const answers: ReplayAnswer[] = [];
/** Of a real server, where one is to be started: it must still say what was recorded. */
const live: ReplayAnswer[] = [];
const LIVE = RUNS && startsPuppetServer();
/** What a server tells of itself is never the same twice. */
const FIGURES = /level=debug|thread-dump|java\.lang:type=Memory|@rec\/v4\.json$/;
let faults: readonly unknown[] = [];

beforeAll(async () => {
  if (!RUNS) return;
  execFileSync('bash', [join(BESIDE.controlRepo, 'setup.sh'), controlRepo]);
  // The manifest that was asked had six lines more at its head.
  const site = join(controlRepo, 'environments/production/manifests/site.pp');
  writeFileSync(site, `${'\n'.repeat(6)}${readFileSync(site, 'utf8')}`);
  const understudy = await Understudy.start(folder, controlRepo, { strict: 'warning', strictVariables: false });
  for (const { request } of exchanges) answers.push(await understudy.asking.ask(request));
  await understudy.stop();
  faults = understudy.errors;
  if (LIVE) await askPuppetServer();
}, 1_800_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function askPuppetServer(): Promise<void> {
  const server = await PuppetServer.start(join(folder, 'puppetserver'), controlRepo);
  try {
    for (const { request } of exchanges) live.push(await server.asking.ask(request));
  } finally {
    await server.stop();
  }
}

/**
 * A recorded answer and ours, without what is volatile; of a body that was cut off, what was kept.
 */
function both(ours: ReplayAnswer, theirs: ReplayAnswer, code = CODE): readonly [Compared, Compared] {
  const trimmed = { ...ours, body: ours.body.replace(/\n+$/, '') };
  if (!isCut(theirs)) return [compared(trimmed, code), compared(theirs, '/srv/agent-test/control-repo')];
  const kept = compared({ ...theirs, body: wholePart(theirs.body) }, '/srv/agent-test/control-repo');
  const whole = compared(trimmed, code);
  return [{ ...whole, body: common(whole.body, kept.body) }, kept];
}

function isCut({ headers, body }: ReplayAnswer): boolean {
  if (!headers['content-type']?.includes('json')) return false;
  try {
    JSON.parse(body);
    return false;
  } catch {
    return true;
  }
}

describe.skipIf(!LIVE)('a Puppet Server of today answers as the recorded one', () => {
  it.each(exchanges.map(({ title }, index) => [index, title] as const))('%i %s', (index, title) => {
    const [ours, theirs] = [live[index], exchanges[index]?.answer];
    if (!ours || !theirs) throw new Error('each was asked');
    const [shown, recorded] = both(ours, theirs, controlRepo);
    if (FIGURES.test(title) && ours.status !== 403) expect(shown).not.toEqual(recorded);
    else expect(shown).toEqual(recorded);
  });
});

describe.skipIf(!RUNS)('what was asked of a Puppet Server with curl is answered alike', () => {
  it.each(exchanges.map(({ title }, index) => [index, title] as const))('%i %s', (index, title) => {
    const [ours, theirs] = [answers[index], exchanges[index]?.answer];
    if (!ours || !theirs) throw new Error('each was asked');
    const [shown, recorded] = both(ours, theirs);
    const known = CURL_DIFFERENCES.find(({ titles }) => titles.some((one) => isOf(one, title)));
    if (known === undefined) {
      expect(shown).toEqual(recorded);
      return;
    }
    // What is said to differ, and does not any more, is to be taken off the list.
    expect(shown, known.reason).not.toEqual(recorded);
    if (known.same === undefined) return;
    expect({ ...shown, body: known.same(shown.body) }, known.reason).toEqual({
      ...recorded,
      body: known.same(recorded.body),
    });
  });

  it('without a fault of ours', () => {
    expect(faults).toEqual([]);
  });

  it.each(CURL_DIFFERENCES.flatMap(({ titles }) => titles))('and there is %s', (part) => {
    expect(exchanges.some(({ title }) => isOf(part, title))).toBe(true);
  });
});

/** Whether a title ends so; what was sent with curl's `-H` and `--data` may follow. */
function isOf(part: string, title: string): boolean {
  return title.endsWith(part) || title.includes(`${part} -H `);
}
