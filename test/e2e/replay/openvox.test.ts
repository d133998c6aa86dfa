import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LanguageLevel } from '../../../shared/config/language-level.ts';
import { LEVELS } from '../../../shared/puppet/levels/language.ts';
import { BESIDE, isBeside } from '../../helpers/material-beside.ts';
import { AgentReplay, recordedAnswer, withoutMetadata } from './agent-replay.ts';
import type { Compared } from './comparison.ts';
import { writeOpenvoxControlRepo } from './openvox-control-repo.ts';
import { type AgentExchange, readExchanges } from './recorded-exchanges.ts';

/**
 * Agents of OpenVox 8.28.1 and 9.0.0-beta2: first runs against Puppet Server 7.9.5, then refresh,
 * renewal, bucket and refused requests against an earlier version of ours. Facts and reports have
 * but a few entries, certificates no content.
 */
const FIXTURE = join(import.meta.dirname, '../../fixtures/replay/openvox-agents.jsonl');

interface Run {
  readonly name: string;
  readonly files: readonly string[];
  /** Whether its catalogs call a function that agents do not have. */
  readonly withUnknown?: true;
}

const beside = (name: string) => join(BESIDE.openvoxRecordings, `${name}.jsonl`);
const RUNS: readonly Run[] = [
  { name: 'the fixture', files: [FIXTURE] },
  ...(isBeside('openvoxRecordings')
    ? [
        { name: '8.28.1', files: ['ov8-1-first-run', 'ov8-2-steady'].map(beside) },
        {
          name: '8.28.1, an unknown function',
          files: [beside('ov8-3-deferred-of-unknown-function')],
          withUnknown: true as const,
        },
        { name: '9.0.0-beta2', files: ['ov9-1-first-run', 'ov9-2-steady'].map(beside) },
      ]
    : []),
];

type Difference = readonly [reason: string, is: (exchange: AgentExchange) => boolean, ours: object];

/** What we answer differently on purpose, or what came before the recording. */
const DIFFERENCES: readonly Difference[] = [
  [
    'ours did not compare dates of certificates when that was recorded',
    ({ url, request_headers }) => url.endsWith('/certificate/ca') && request_headers.includes('If-Modified-Since'),
    { status: 304, body: '' },
  ],
  [
    'that bucket had the file from a run before',
    ({ method, status, url }) => method === 'HEAD' && status === 200 && url.includes('/file_bucket_file/'),
    { status: 404, headers: expect.anything() },
  ],
  [
    'a server that kept facts of the node sent them with it',
    ({ url }) => url.startsWith('/puppet/v3/node/'),
    { body: { name: expect.any(String), environment: 'production' } },
  ],
];

/** What a server of OpenVox 9 refuses, and those that were asked did not. */
const REFUSED_AT_9: Difference = [
  'only administrators read the bucket',
  ({ method, url }) => method === 'GET' && url.includes('/file_bucket_file/'),
  { status: 403, headers: expect.anything(), body: expect.stringContaining('Forbidden request: ') },
];

function expected(exchange: AgentExchange, level: LanguageLevel): Compared {
  const theirs = recordedAnswer(exchange, '/srv/agent-test/cr');
  const { body } = theirs;
  const moved = JSON.parse(
    JSON.stringify(body ?? null)
      .replaceAll('/srv/agent-test/agents/', '/srv/agents/')
      // The recorded Puppet Server knew no implementations.
      .replaceAll(/\bserver= puppetversion=/g, level === 'puppet-8' ? '$&' : 'server=openvox puppetversion='),
  );
  const differences = level === 'openvox-9' ? [...DIFFERENCES, REFUSED_AT_9] : DIFFERENCES;
  return { ...theirs, body: moved, ...differences.find(([, is]) => is(exchange))?.[2] };
}

const CASES = LEVELS.flatMap((level) => RUNS.map((run) => ({ ...run, level })));

describe.each(CASES)(
  'what agents asked is answered alike at $level: $name',
  ({ files, withUnknown = false, level }) => {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-openvox-'));
    let replay: AgentReplay;

    beforeAll(async () => {
      const controlRepo = join(folder, 'control-repo');
      writeOpenvoxControlRepo(controlRepo, withUnknown);
      replay = await AgentReplay.open(folder, controlRepo, ['production'], true, level);
    });
    afterAll(async () => {
      await replay?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it.each(files.flatMap(readExchanges).map((exchange) => [exchange.method, exchange.url, exchange] as const))(
      '%s %s',
      async (_method, _url, exchange) => {
        const theirs = expected(exchange, level);
        expect(withoutMetadata(await replay.ask({ ...exchange, status: theirs.status }), theirs)).toEqual(theirs);
      },
    );

    it('without a fault of ours', () => {
      expect(replay.faults).toEqual([]);
    });
  },
);
