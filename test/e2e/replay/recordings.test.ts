import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentReplay, recordedAnswer, withoutMetadata } from './agent-replay.ts';
import { writeRecordedControlRepo } from './recorded-control-repo.ts';
import { type AgentExchange, hasRecordings, recordedExchanges } from './recorded-exchanges.ts';

const exchanges = hasRecordings() ? recordedExchanges() : [];
const folder = mkdtempSync(join(tmpdir(), 'understudy-recordings-'));
const AGENT = 'agent01.example.com';
let replay: AgentReplay;

/** What we answer differently on purpose. */
const DIFFERENCES: readonly (readonly [reason: string, url: RegExp, body: unknown])[] = [
  ['reports are kept by the one processor that we have', /\/report\/.*environment=(production|staging)/, ['store']],
];

beforeAll(async () => {
  if (exchanges.length === 0) return;
  const controlRepo = join(folder, 'control-repo');
  writeRecordedControlRepo(controlRepo, exchanges);
  replay = await AgentReplay.open(folder, controlRepo, ['production', 'staging'], false);
});

afterAll(async () => {
  await replay?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function recorded(exchange: AgentExchange) {
  return recordedAnswer(exchange, '/srv/agent-test/control-repo');
}

/**
 * A listing of which the recording is cut off, or of which not all files were sent: what both have
 * must be the same.
 */
function commonEntries(ours: unknown, theirs: unknown): readonly [unknown, unknown] {
  // What is cut off is no JSON, and so is still as it came.
  const start = typeof theirs === 'string' ? JSON.parse(`${theirs.slice(0, theirs.lastIndexOf(',{"path"'))}]`) : theirs;
  const theirEntries = new Map(entriesOf(start));
  const both = entriesOf(ours).filter(([name]) => theirEntries.has(name));
  expect(both.length).toBeGreaterThan(1);
  return [both, both.map(([name]) => [name, theirEntries.get(name)])];
}

function entriesOf(listing: unknown): readonly (readonly [string, unknown])[] {
  if (!Array.isArray(listing)) throw new Error('a listing is a list');
  return listing.map((entry) => {
    const { path, ...rest } = entry;
    // From which of the modules a folder's metadata comes depends on what modules there are.
    const described = JSON.parse(
      JSON.stringify({ ...rest, owner: 'someone', group: 'someone' }).replaceAll(
        /\{[cm]time\}[^"]*|\{time\}/g,
        '{time}',
      ),
    );
    return [entry.relative_path, entry.type === 'file' ? { ...described, path: typeof path } : described];
  });
}

describe.skipIf(!hasRecordings())('what agents asked a Puppet Server is answered alike', () => {
  it('of the certificate authority, once it has signed', async () => {
    const steps = exchanges.filter(({ url }) => url.startsWith('/puppet-ca/'));
    for (const step of steps) {
      // The second request of the agent came after its first one was signed.
      if (step.status === 400 || (step.status === 200 && /certificate\/agent/.test(step.url))) {
        await replay.sign(AGENT);
      }
      expect([step.url, await replay.ask(step)]).toEqual([step.url, recorded(step)]);
    }
    expect(steps.length).toBeGreaterThan(5);
  });

  it.each(
    exchanges.filter(({ url }) => !url.startsWith('/puppet-ca/')).map((each) => [each.method, each.url, each] as const),
  )('%s %s', async (_method, url, exchange) => {
    const ours = await replay.ask(exchange);
    const theirs = recorded(exchange);
    if (/file_metadatas\/(plugins|locales).*recurse=true/.test(url) && ours.status === 200) {
      const [some, same] = commonEntries(ours.body, theirs.body);
      expect({ ...ours, body: some }).toEqual({ ...theirs, body: same });
      return;
    }
    const known = DIFFERENCES.find(([, pattern]) => pattern.test(url));
    expect(withoutMetadata(ours, theirs), known?.[0]).toEqual(known ? { ...theirs, body: known[2] } : theirs);
  });

  it('without a fault of ours', () => {
    expect(replay.faults).toEqual([]);
  });
});
