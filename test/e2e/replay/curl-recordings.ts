import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BESIDE, isBeside } from '../../helpers/material-beside.ts';
import type { ReplayAnswer, ReplayRequest } from './asking.ts';

/** A request that was sent with curl, and what a real Puppet Server answered. */
export interface CurlExchange {
  /** As the recording calls it. */
  readonly title: string;
  readonly request: ReplayRequest;
  /** The body may be cut off. */
  readonly answer: ReplayAnswer;
}

const FORM = 'application/x-www-form-urlencoded';
const AGENTS_ACCEPT = 'application/vnd.puppet.rich+json, application/json, text/pson';
const TEXTS_ACCEPT = 'application/json, text/pson';

/**
 * Whether the recordings and the control repo of the server that was asked lie beside this
 * repository.
 */
export function hasCurlRecordings(): boolean {
  return isBeside('curlRecordings', 'controlRepo');
}

/** All of them, in the order in which they were sent. */
export function curlExchanges(): readonly CurlExchange[] {
  return ['errors.txt', 'endpoints.txt', 'v4.txt'].flatMap((file) => {
    const sections = readFileSync(join(BESIDE.curlRecordings, file), 'utf8')
      .split(/^##### /m)
      .slice(1);
    return sections.map((section) => readSection(section, file === 'errors.txt' ? TEXTS_ACCEPT : '*/*'));
  });
}

function readSection(section: string, accept: string): CurlExchange {
  const [, title = '', status, rest = ''] = /^([^\n]*?) ?\nHTTP\/1\.1 (\d+)[^\n]*\n(.*)$/s.exec(section) ?? [];
  if (status === undefined) throw new Error(`No answer in the recording: ${section.slice(0, 200)}`);
  const [, head = '', body = ''] = /^(.*?)\n\n(.*)$/s.exec(rest) ?? [];
  const lines = head.split('\n').map((line) => /^([^:]+): (.*)$/.exec(line) ?? []);
  const headers = Object.fromEntries(lines.map(([, name = '', value = '']) => [name.toLowerCase(), value]));
  const known = POSTED.get(title);
  const request = known === undefined ? curlLine(title, accept) : known();
  return { title, request, answer: { status: Number(status), headers, body: body.replace(/\n+$/, '') } };
}

/** `CN=admin.example.com PUT /path -H Name: value -d body`, as it was typed without quotes. */
function curlLine(title: string, accept: string): ReplayRequest {
  const [, cn = '', method = '', url = '', more = ''] = /^CN=(\S+) (\w+) (\S+)(.*)$/.exec(title) ?? [];
  if (url === '') throw new Error(`The recording does not say what was asked: ${title}`);
  const [, type] = /-H Content-Type: ?(\S+)/.exec(more) ?? [];
  const [, given] = /(?:-d|--data|--data-binary) (.+)$/.exec(more) ?? [];
  const headers = { Accept: accept, ...(type === undefined ? {} : { 'Content-Type': type }) };
  const sent = given === undefined ? {} : { body: given.startsWith('@') ? v4Body(given) : given };
  return { method, url, who: cn === 'none' ? null : cn, headers, ...sent };
}

function factsOf(certname: string): Readonly<Record<string, unknown>> {
  const facts = JSON.parse(readFileSync(join(BESIDE.controlRepo, 'facts', `${certname}.json`), 'utf8'));
  return facts.values ?? facts;
}

/** The bodies of v4.txt as its head describes them: each leaves out, or spoils, one thing. */
function v4Body(file: string): string {
  const certname = 'tiny01.example.com';
  const full = {
    certname,
    persistence: { facts: false, catalog: false },
    environment: 'production',
    facts: { values: factsOf(certname) },
    trusted_facts: { values: { certname, extensions: {} } },
    transaction_uuid: '11111111-2222-3333-4444-555555555555',
    job_id: '7',
    options: { capture_logs: true, log_level: 'debug', prefer_requested_environment: true },
  };
  const { environment: _, ...withoutEnvironment } = full;
  const { persistence: __, ...withoutPersistence } = full;
  const bodies: Readonly<Record<string, object>> = {
    '@rec/v4.json': full,
    '@rec/v4-nologs.json': { ...full, options: { prefer_requested_environment: true } },
    '@rec/v4-broken.json': {
      ...full,
      certname: 'broken.example.com',
      trusted_facts: { values: { certname: 'broken.example.com', extensions: {} } },
    },
    '@rec/v4-min.json': withoutEnvironment,
    '@rec/v4-bad.json': withoutPersistence,
    '@rec/v4-badenv.json': { ...full, environment: 'nosuch' },
  };
  const body = bodies[file];
  if (body === undefined) throw new Error(`Nothing is known of the body ${file}`);
  return JSON.stringify(body);
}

const BASE = 'base01.example.com';

interface Posted {
  readonly who?: string | null;
  readonly environment?: string;
  /** Whose facts they say they are. */
  readonly name?: string;
  readonly accept?: string;
  readonly body?: string;
}

function post(certname: string, posted: Posted = {}): () => ReplayRequest {
  const { who = certname, environment = '?environment=production', name = certname, accept = TEXTS_ACCEPT } = posted;
  return () => {
    const facts = JSON.stringify({ name, values: factsOf(BASE) });
    const form = `facts_format=application%2Fjson&facts=${encodeURIComponent(encodeURIComponent(facts))}`;
    const headers = { 'Content-Type': FORM, Accept: accept };
    return {
      method: 'POST',
      url: `/puppet/v3/catalog/${certname}${environment}`,
      who,
      headers,
      body: posted.body ?? form,
    };
  };
}

/** The requests whose recordings have only a title. */
const POSTED: ReadonlyMap<string, () => ReplayRequest> = new Map([
  ['POST catalog broken', post('broken.example.com')],
  ['POST catalog broken2', post('broken2.example.com')],
  ['POST catalog broken3', post('broken3.example.com')],
  ['POST catalog unknown01', post('unknown01.example.com', { accept: AGENTS_ACCEPT })],
  ['POST catalog bad env', post(BASE, { environment: '?environment=nosuchenv' })],
  ['catalog without environment param', post(BASE, { environment: '' })],
  ['facts for the wrong node', post(BASE, { name: 'broken.example.com' })],
  ['broken facts', post(BASE, { body: 'facts_format=application%2Fjson&facts=notjson' })],
  ['unsupported facts format', post(BASE, { body: 'facts_format=yaml&facts=x' })],
  ["other node's catalog", post('web01.example.com', { who: BASE })],
  ['no cert', post('web01.example.com', { who: null })],
  ['no acceptable format', post(BASE, { accept: 'text/html' })],
  [
    'catalog without facts (GET)',
    () => ({
      method: 'GET',
      url: `/puppet/v3/catalog/${BASE}?environment=production`,
      who: BASE,
      headers: { Accept: TEXTS_ACCEPT },
    }),
  ],
]);
