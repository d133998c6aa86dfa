import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backUpDirectory } from '../../shared/store/embedded/backup.ts';
import { keyOfPath } from '../../shared/store/embedded/blob-file.ts';
import { FAILING, FAILURES, OTHER, OWNER } from './code.ts';
import { damageRoles, endServer, endWorker, sendMalformed } from './crash.ts';
import { passDay } from './day.ts';
import { EXCEPTIONS, isExcepted } from './exceptions.ts';
import { Marks } from './marks.ts';
import { Search } from './search.ts';
import { SecondLife } from './second-life.ts';
import { runJobs } from './tainted-jobs.ts';
import { TaintedSite, waitUntil } from './tainted-site.ts';
import { addSources } from './tainted-sources.ts';
import { walkAssets, walkRoutes, watchEvents } from './walk.ts';

/** Routes that answer nobody here with 200: what they show does not exist, or nobody may ask. */
const UNANSWERED = join(import.meta.dirname, '../fixtures/taint/unanswered.ours.txt');
const marks = new Marks();
const search = new Search(marks);
/** What owners got of their secrets. */
const arrived = new Set<string>();
let tainted: TaintedSite;
let unanswered: ReadonlyMap<string, readonly number[]>;
let life: SecondLife;
/** How many files the page of the console has. */
let assets: number;
/** How the server ended, and what was then in its current folder. */
let exitCode: number | null;
let left: readonly string[];
/** What the reader of a damaged row got. */
let damaged: string;

function noteArrival(text: string): void {
  for (const mark of marks.findIn(Buffer.from(text))) arrived.add(mark);
}

beforeAll(async () => {
  tainted = await TaintedSite.open(marks);
  await tainted.addUsers();
  const stopWatching = await watchEvents(tainted, search);
  await tainted.addData();
  noteArrival((await tainted.getCatalog(OWNER, { secret: marks.of('fact: of a node') })).body);
  search.look('answer frontDoor catalog of another node', (await tainted.getCatalog(OTHER)).body);
  for (const failure of FAILURES) {
    const { status, body } = await tainted.getCatalog(FAILING, { failure });
    expect([status, body]).toEqual([500, expect.stringContaining('Evaluation Error')]);
    search.look('answer frontDoor failed catalog', body);
  }
  await addSources(tainted);
  noteArrival(await runJobs(tainted));
  await sendMalformed(tainted);
  await plantLeaks();
  noteArrival(await passDay(tainted, { secret: marks.of('fact: of a node') }));
  stopWatching();
  await tainted.site.halt();
  await liveAgain();
  const { data, lines } = tainted.site;
  search.look('log', lines.join('\n'));
  search.look('access-log', readFileSync(join(dirname(data), 'access.log')));
  search.lookAtRows(join(data, 'understudy.db'));
  search.lookBelow(data, placeOf);
  search.lookAtArchive((path) => `backup ${placeOf(path)}`, readFileSync(backupOf(tainted)));
});
afterAll(async () => {
  life?.signal('SIGKILL');
  await life?.end();
  await tainted?.close();
});

/** Starts the server as a process on the next day, asks for everything, and lets it end badly. */
async function liveAgain(): Promise<void> {
  life = await SecondLife.start(tainted);
  // The feed brings what the first life had not.
  const catalog = { port: 'inventory', path: `/pdb/query/v4/catalogs/${OWNER}` } as const;
  await waitUntil(async () => (await tainted.site.ask(catalog)).status === 200);
  unanswered = await walkRoutes(tainted, search, await tainted.listPathValues());
  assets = await walkAssets(tainted, search);
  await backUpDirectory(tainted.site.data, backupOf(tainted), 0, false);
  await endWorker(tainted, life);
  damaged = await damageRoles(tainted, life);
  [exitCode, left] = await endServer(tainted, life);
}

const backupOf = ({ site }: TaintedSite) => join(dirname(site.data), 'backup.tar.gz');

/** The place of a file of the data directory; of a blob, the folder of its key. */
function placeOf(path: string): string {
  if (!path.startsWith('blobs/')) return `file ${path.replace(/^(inventory|git)\/.*/, '$1')}`;
  const key = keyOfPath(path.replace(/^blobs\//, '').replace(/@\w+$/, ''));
  return `blob ${key.replace(/[0-9a-f-]{32,}/g, '…')}`;
}

/** Leaks on purpose, each with a place where it must be found. */
const PLANTED = [
  ['planted: in a line of the log', /^log$/],
  ['planted: in a line of the log', /^access-log$/],
  ['planted: in a compressed blob', /^blob planted\/gzip$/],
  ['planted: in a pack', /^blob planted\/brotli$/],
  ['planted: in a blob that is compressed in another way', /^backup blob planted\/zstd$/],
  ['planted: in a row', /^row documents$/],
  ['planted: in a row', /^file understudy.db-wal$/],
  ['planted: in a row', /^backup file understudy.db$/],
  ['planted: in an answer', /^answer access \/rbac-api\/v1\/roles of Viewers$/],
] as const;

/** Lets secrets leak into each kind of place, in several forms. */
async function plantLeaks(): Promise<void> {
  const { stores, access, site } = tainted;
  await site.ask({
    port: 'frontDoor',
    path: `/understudy/v1/nodes/${marks.of('planted: in a line of the log')}`,
    who: OTHER,
  });
  const base64 = Buffer.from(`x${marks.of('planted: in a compressed blob')}`).toString('base64');
  await stores.blobs.put('planted/gzip', gzipSync(base64));
  await stores.blobs.put('planted/brotli', brotliCompressSync(marks.of('planted: in a pack')));
  const text = JSON.stringify({ text: marks.specialOf('planted: in a blob that is compressed in another way') });
  await stores.blobs.put('planted/zstd', zstdCompressSync(text));
  const hex = Buffer.from(marks.of('planted: in a row')).toString('hex');
  await stores.documents.put('planted', 'row', { hex });
  const description = encodeURIComponent(marks.specialOf('planted: in an answer'));
  await access.roles.create({ displayName: 'Planted', description, permissions: [] });
}

it.each(PLANTED)('finds a leak that was %s: %s', (name, place) => {
  const found = search.sightings.filter(({ mark }) => mark === name).map(({ sink }) => sink);
  expect(found).toContainEqual(expect.stringMatching(place));
});

it('finds no secret where it does not belong', () => {
  const leaks = search.sightings.filter(
    (one) => !one.mark.startsWith('planted: ') && !EXCEPTIONS.some((exception) => isExcepted(one, exception)),
  );
  expect(leaks.map(({ mark, sink }) => `${mark} - in ${sink}`)).toEqual([]);
});

it.each(EXCEPTIONS)('needs the exception for $marks in $sinks', (exception) => {
  expect(search.sightings.filter((one) => isExcepted(one, exception))).not.toEqual([]);
});

/** Secrets that nobody gets back: they failed, were refused, or are compared only. */
const NEVER_SHOWN =
  /^(failure|log|key|password|token|setting|webhook|git|planted|fact|node group|file bucket): |refused/;
/** Of jobs that do not run here, of plans, which run elsewhere, and what no other node collects. */
const NOT_RUN = [
  'manifest: an exported resource',
  'plan: a sensitive parameter',
  'schedule: of a plan',
  'schedule: that is replaced',
  'task: an uploaded file',
];

it('gives each secret to its owner', () => {
  const expected = marks.names.filter((name) => !NEVER_SHOWN.test(name) && !NOT_RUN.includes(name));
  expect(expected.filter((name) => !arrived.has(name))).toEqual([]);
  expect(expected.length).toBe(32);
});

it('ends by an uncaught error, of which it prints no more than the message, and leaves nothing', () => {
  const printed = tainted.site.lines.join('');
  expect([exitCode, left]).toEqual([1, []]);
  expect(printed).toMatch(/understudy: TypeError: Invalid URL\n/);
  expect(printed).not.toMatch(/Debugger listening/);
});

it('names a damaged row in the log alone, and quotes nothing of it', () => {
  expect(JSON.parse(damaged)).toMatchObject({ msg: 'The store cannot be used' });
  const planted = search.sightings.filter(({ mark }) => mark === 'planted: in an answer').map(({ sink }) => sink);
  expect(planted).not.toContain('log');
});

it('loads the files of the console', () => {
  expect(assets).toBeGreaterThan(2);
});

it('gets answers of each route but those of the list', () => {
  const list = `${[...unanswered.keys()].toSorted().join('\n')}\n`;
  if (process.env.UPDATE_FIXTURES !== undefined) writeFileSync(UNANSWERED, list);
  expect(list).toBe(readFileSync(UNANSWERED, 'utf8'));
});
