import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { folderOfRun } from './temporary-folder.ts';

/** The first port that is tried. */
const FIRST = 15_000;
/** Linux gives listeners on port 0 and outgoing connections a port from here on, by default. */
const EPHEMERAL = 32_768;
/** More claims than this in a row that fail mean that something else is wrong. */
const ATTEMPTS = 1000;

/**
 * A port for a server that has to know it before it starts, or keeps it over its restarts. The
 * system gives it to nobody else: it is below those that listeners on port 0 and outgoing
 * connections get. No other test of this run gets it: a file of the run's folder claims it.
 */
export async function findFreePort(): Promise<number> {
  const claims = openClaims();
  const last = readFirstEphemeralPort();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = FIRST + Math.floor(Math.random() * (last - FIRST));
    if (claim(claims, port) && (await isFree(port))) return port;
  }
  throw new Error(`No free port from ${FIRST} to ${last} after ${ATTEMPTS} attempts`);
}

function readFirstEphemeralPort(): number {
  try {
    const [first = ''] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/);
    return Number(first) > 2 * FIRST ? Number(first) : EPHEMERAL;
  } catch {
    return EPHEMERAL;
  }
}

/** The folder of the run's claims; null outside a run, where one program asks for all ports. */
function openClaims(): string | null {
  const run = folderOfRun();
  if (run === null) return null;
  const claims = join(run, 'claimed-ports');
  mkdirSync(claims, { recursive: true });
  return claims;
}

/** Claims a port for the caller; false where another test of the run has it. */
function claim(claims: string | null, port: number): boolean {
  if (claims === null) return true;
  try {
    writeFileSync(join(claims, String(port)), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
