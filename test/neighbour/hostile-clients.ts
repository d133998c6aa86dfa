import { randomBytes } from 'node:crypto';
import type { PortName } from '../helpers/local-site.ts';

/** A request that a hostile client sends again and again. */
export interface HostileRequest {
  readonly port: PortName;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly type: string;
  /** Pieces of the body, and how long each waits for the one before, in milliseconds. */
  readonly pieces: readonly Uint8Array[];
  readonly pauseMs: number;
}

/** How one hostile client behaves. */
export interface HostileKind {
  readonly name: string;
  /** Requests that it has in progress at a time, each on a connection of its own. */
  readonly parallel: number;
  /** `certname` is its own. */
  makeRequest(certname: string): HostileRequest;
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const common = { method: 'GET', type: JSON_TYPE, pieces: [], pauseMs: 0 } as const;

function makeFacts(certname: string, count: number): string {
  const values = Array.from({ length: count }, (_, at) => [
    `fact_${at}`,
    { text: randomBytes(30).toString('hex'), at },
  ]);
  return JSON.stringify({ name: certname, values: Object.fromEntries(values) });
}

/** A client of each kind that may meet a server. */
export const HOSTILE_KINDS: readonly HostileKind[] = [
  {
    name: 'metadata storm',
    parallel: 16,
    makeRequest: () => ({
      ...common,
      port: 'frontDoor',
      path: '/puppet/v3/file_metadatas/plugins?environment=production&recurse=true&checksum_type=sha256',
    }),
  },
  {
    name: 'big facts',
    parallel: 4,
    makeRequest: (certname) => ({
      ...common,
      port: 'frontDoor',
      method: 'PUT',
      path: `/puppet/v3/facts/${certname}?environment=production`,
      pieces: [Buffer.from(makeFacts(certname, 30_000))],
    }),
  },
  {
    name: 'big check-ins',
    parallel: 4,
    makeRequest: (certname) => {
      const facts = encodeURIComponent(encodeURIComponent(makeFacts(certname, 10_000)));
      const body = Buffer.from(`facts_format=application%2Fjson&facts=${facts}`);
      const path = `/puppet/v3/catalog/${certname}?environment=production`;
      return { ...common, port: 'frontDoor', method: 'POST', path, type: FORM_TYPE, pieces: [body] };
    },
  },
  {
    name: 'slow bodies',
    parallel: 64,
    makeRequest: (certname) => ({
      ...common,
      port: 'frontDoor',
      method: 'PUT',
      path: `/puppet/v3/report/${certname}?environment=production`,
      pieces: [Buffer.alloc(1_200_000, ' '), ...Array.from({ length: 100 }, () => Buffer.from(' '.repeat(100)))],
      pauseMs: 200,
    }),
  },
  {
    name: 'deep JSON',
    parallel: 8,
    makeRequest: (certname) => ({
      ...common,
      port: 'frontDoor',
      method: 'PUT',
      path: `/puppet/v3/report/${certname}?environment=production`,
      pieces: [Buffer.from('['.repeat(2_000_000) + ']'.repeat(2_000_000))],
    }),
  },
  {
    name: 'inventory scans',
    parallel: 16,
    makeRequest: () => ({
      ...common,
      port: 'inventoryTls',
      path: `/pdb/query/v4?query=${encodeURIComponent('resources[count()] { parameters.content ~ "(a+)+x" }')}`,
    }),
  },
  {
    name: 'NULs to the inventory',
    parallel: 8,
    makeRequest: (certname) => ({
      ...common,
      port: 'inventoryTls',
      method: 'POST',
      path: `/pdb/cmd/v1?command=replace_facts&version=5&certname=${certname}`,
      pieces: [Buffer.alloc(4_000_000)],
    }),
  },
  {
    name: 'console polling',
    parallel: 16,
    makeRequest: () => ({ ...common, port: 'console', path: '/understudy/v1/nodes?limit=100' }),
  },
];
