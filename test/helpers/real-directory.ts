import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerCredentials } from '../../shared/access/ca/server-credentials.ts';
import { findFreePort } from './free-port.ts';

const SLAPD = '/usr/sbin/slapd';
const SLAPADD = '/usr/sbin/slapadd';

/** Whether Debian's OpenLDAP is installed. */
export function hasSlapd(): boolean {
  return existsSync(SLAPD);
}

export const BASE = 'dc=example,dc=com';
export const SERVICE = { login: `cn=service,${BASE}`, password: 'service password' };

/** OpenLDAP with users and groups, on loopback. */
export class RealDirectory {
  readonly port: number;
  readonly #folder: string;
  #process: ChildProcess | null = null;

  private constructor(port: number, folder: string) {
    [this.port, this.#folder] = [port, folder];
  }

  static async start(entries: string, tls: ServerCredentials): Promise<RealDirectory> {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-slapd-'));
    mkdirSync(join(folder, 'data'));
    const [certificate, key, config, ldif] = ['cert.pem', 'key.pem', 'slapd.conf', 'data.ldif'].map((one) =>
      join(folder, one),
    ) as [string, string, string, string];
    writeFileSync(certificate, tls.certificate);
    writeFileSync(key, tls.key);
    writeFileSync(
      config,
      `${['core', 'cosine', 'inetorgperson'].map((one) => `include /etc/ldap/schema/${one}.schema`).join('\n')}
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCertificateFile ${certificate}
TLSCertificateKeyFile ${key}
database mdb
suffix "${BASE}"
directory ${join(folder, 'data')}
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${SERVICE.login}" read by * auth
`,
    );
    writeFileSync(ldif, entries);
    execFileSync(SLAPADD, ['-f', config, '-l', ldif]);
    const directory = new RealDirectory(await findFreePort(), folder);
    await directory.#run();
    return directory;
  }

  async #run(): Promise<void> {
    const child = spawn(SLAPD, [
      '-f',
      join(this.#folder, 'slapd.conf'),
      '-h',
      `ldap://127.0.0.1:${this.port}`,
      '-d',
      '0',
    ]);
    this.#process = child;
    for (let tries = 0; tries < 200 && child.exitCode === null; tries += 1) {
      if (await answers(this.port)) return;
      await pause(50);
    }
    throw new Error('slapd does not listen');
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child !== null && child.exitCode === null) {
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function answers(port: number): Promise<boolean> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
