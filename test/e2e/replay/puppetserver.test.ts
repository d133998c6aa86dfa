import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolderOnDisk } from '../../helpers/temporary-folder.ts';
import { type Compared, compared, type Recorded } from './comparison.ts';
import { fileserverConf, writeControlRepo } from './control-repo.ts';
import { DIFFERENCES } from './differences.ts';
import { PuppetServer, puppetServerVersion, startsPuppetServer } from './puppetserver.ts';
import { REQUESTS } from './requests.ts';
import { Understudy } from './understudy.ts';

/**
 * Written by a run with `UPDATE_FIXTURES=puppetserver` where that is installed; otherwise it is not
 * started: it is heavy.
 */
const RECORDED = join(import.meta.dirname, '..', '..', 'fixtures', 'replay', 'puppetserver-7.9.5.jsonl');
const CODE = '/etc/puppetlabs/code';
const RECORDS = startsPuppetServer();
const folder = makeFolderOnDisk('replay');
const controlRepo = join(folder, 'control-repo');
let ours: readonly Compared[];
let theirs: readonly Compared[];
let unexpected: readonly unknown[];

beforeAll(async () => {
  writeControlRepo(controlRepo);
  if (RECORDS) await record();
  const recorded = readFileSync(RECORDED, 'utf8').trimEnd().split('\n').map(readRecorded);
  theirs = recorded.map(({ answer }) => compared(answer, CODE));
  expect(recorded.map(({ request }) => request)).toEqual(JSON.parse(JSON.stringify(REQUESTS)));
  const understudy = await Understudy.start(folder, controlRepo);
  const answers: Compared[] = [];
  for (const request of REQUESTS) answers.push(compared(await understudy.asking.ask(request), CODE));
  await understudy.stop();
  ours = answers;
  unexpected = understudy.errors;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function record(): Promise<void> {
  expect(puppetServerVersion()).toBe('7.9.5');
  const server = await PuppetServer.start(join(folder, 'puppetserver'), controlRepo, {
    fileserver: fileserverConf(`${controlRepo}/`),
  });
  try {
    const lines: string[] = [];
    for (const request of REQUESTS) {
      const { status, headers, body } = await server.asking.ask(request);
      const answer = { status, headers, body: body.replaceAll(controlRepo, CODE).replaceAll(folder, '/var/lib') };
      lines.push(`${JSON.stringify({ request, answer })}\n`);
    }
    writeFileSync(RECORDED, lines.join(''));
  } finally {
    await server.stop();
  }
}

function readRecorded(line: string): Recorded {
  return JSON.parse(line);
}

describe('every request to Puppet Server is answered alike', () => {
  it.each(REQUESTS.map((request, index) => [index, request.method, request.url, request] as const))(
    '%i %s %s',
    (index, _method, _url, request) => {
      const known = DIFFERENCES.filter(({ covers }) => covers(request));
      if (known.length === 0) expect(ours[index]).toEqual(theirs[index]);
      // What is said to differ, and does not any more, is to be taken off the list.
      else expect(ours[index], known[0]?.reason).not.toEqual(theirs[index]);
    },
  );

  it('without a fault of ours', () => {
    expect(unexpected).toEqual([]);
  });

  it.each(DIFFERENCES)('and there is such a request: $reason', ({ covers }) => {
    expect(REQUESTS.some(covers)).toBe(true);
  });
});
