import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createPeer, deployFiles, httpServices } from '../helpers/http-services.ts';
import { type FuzzRequest, malformedRequest } from './malformed-requests.ts';
import { SeededChance } from './seeded-chance.ts';

export interface FuzzFigures {
  readonly requests: number;
  /** Requests whose URL is invalid: they cannot pass the listener. */
  readonly unsendable: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** Faults of ours in the log, each with its request. */
  readonly faults: readonly { readonly request: FuzzRequest; readonly cause: unknown }[];
  /** Answers with status 500 that say "Internal error" without a log entry. */
  readonly unlogged: readonly FuzzRequest[];
  /** Bytes of heap retained by the second half of the run, after garbage collection. */
  readonly heapGrowth: number;
}

const FILES = {
  'environments/production/manifests/site.pp': 'class site { }',
  'environments/production/modules/profile/files/a.txt': 'a',
  'environments/production/modules/profile/files/tree/b.txt': 'b',
  'environments/production/modules/profile/lib/facter/c.rb': 'c',
  'environments/production/modules/profile/tasks/init.sh': 'd',
};

/** Sends this many malformed requests through the app. Equal seeds give equal requests. */
export async function fuzzFrontDoor(requests: number, seed: number): Promise<FuzzFigures> {
  const http = await httpServices();
  await deployFiles(http, 'production', FILES);
  const chance = new SeededChance(seed);
  const byStatus: Record<string, number> = {};
  const faults: { request: FuzzRequest; cause: unknown }[] = [];
  const unlogged: FuzzRequest[] = [];
  let unsendable = 0;
  let half = 0;
  for (let count = 0; count < requests; count += 1) {
    if (count === Math.floor(requests / 2)) half = heapUsed();
    const request = malformedRequest(chance);
    const sent = toRequest(request);
    if (sent === null) {
      unsendable += 1;
      continue;
    }
    const response = await http.app.fetch(sent, {
      peer: request.certname === null ? null : createPeer(request.certname),
    });
    const text = await response.text();
    byStatus[response.status] = (byStatus[response.status] ?? 0) + 1;
    const [cause] = http.errors.splice(0);
    if (cause !== undefined) faults.push({ request, cause });
    else if (response.status === 500 && text.includes('Internal error')) unlogged.push(request);
    // The records of the catalog service are not a leak of the app.
    http.catalogs.asked.length = 0;
  }
  return { requests, unsendable, byStatus, faults, unlogged, heapGrowth: heapUsed() - half };
}

function toRequest({ method, url, headers, body }: FuzzRequest): Request | null {
  const address = `https://localhost${url}`;
  if (!URL.canParse(address)) return null;
  return new Request(address, { method, headers: headers.map(([name, value]) => [name, value]), body });
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('the garbage collector cannot be called');
  collect();
  return process.memoryUsage().heapUsed;
}
