import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { findFreePort } from '../helpers/free-port.ts';
import { postgresProgram, runAsPostgres } from '../helpers/real-postgres.ts';

const USER = 'understudy';
const DATABASE = 'fleet';

/** One PostgreSQL of a pair. */
interface Member {
  readonly folder: string;
  readonly port: number;
}

/**
 * A PostgreSQL with a synchronous standby, on loopback: what was committed is on both. As an
 * operator of Patroni has it, the survivor of two goes on alone until the other one is back.
 */
export class PostgresPair {
  readonly #folder: string;
  #primary: Member;
  #standby: Member;

  private constructor(folder: string, primary: Member, standby: Member) {
    this.#folder = folder;
    [this.#primary, this.#standby] = [primary, standby];
  }

  static async start(folder: string): Promise<PostgresPair> {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    const member = async (name: string) => ({ folder: join(folder, name), port: await findFreePort() });
    const pair = new PostgresPair(folder, await member('one'), await member('two'));
    const { folder: data, port } = pair.#primary;
    const flags = ['-E', 'UTF8', '--locale=C.UTF-8', '-A', 'trust', '-U', USER, '-N', '--data-checksums'];
    pair.#run('initdb', '-D', data, ...flags);
    pair.#begin(pair.#primary);
    await execute(port, 'postgres', `CREATE DATABASE ${DATABASE}`);
    await pair.#attach();
    return pair;
  }

  /** The address with both members. */
  get url(): string {
    const ports = [this.#primary.port, this.#standby.port].sort((a, b) => a - b);
    return `postgresql://${USER}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${DATABASE}`;
  }

  /** Kills the primary and, after a time, lets the standby take over. */
  async failOver(afterMs: number): Promise<void> {
    this.#run('pg_ctl', 'stop', '-D', this.#primary.folder, '-m', 'immediate', '-s');
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    this.#run('pg_ctl', 'promote', '-D', this.#standby.folder, '-w', '-s');
    [this.#primary, this.#standby] = [this.#standby, this.#primary];
    await this.#wait('');
  }

  /** Stops the primary, and starts it again after a time. */
  async restart(afterMs: number): Promise<void> {
    this.#run('pg_ctl', 'stop', '-D', this.#primary.folder, '-m', 'immediate', '-s');
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    this.#begin(this.#primary);
  }

  /** Makes the member that was left a standby, and waits for it at each commit from then on. */
  async repair(): Promise<void> {
    rmSync(this.#standby.folder, { recursive: true, force: true });
    await this.#attach();
  }

  stop(): void {
    for (const { folder } of [this.#standby, this.#primary]) {
      try {
        this.#run('pg_ctl', 'stop', '-D', folder, '-m', 'immediate', '-s');
      } catch {
        // It does not run.
      }
    }
  }

  async #attach(): Promise<void> {
    const { port } = this.#primary;
    const { folder } = this.#standby;
    this.#run(
      'pg_basebackup',
      '-D',
      folder,
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      USER,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
    );
    this.#begin(this.#standby);
    await this.#wait('*');
  }

  /** Sets for which standbys a commit waits. */
  async #wait(standbys: string): Promise<void> {
    const { port } = this.#primary;
    await execute(port, 'postgres', `ALTER SYSTEM SET synchronous_standby_names = '${standbys}'`);
    await execute(port, 'postgres', 'SELECT pg_reload_conf()');
  }

  /** With sync: what was acknowledged must be there after a kill. */
  #begin({ folder, port }: Member): void {
    const settings = {
      ...{ port, listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: 150 },
      ...{ shared_buffers: '64MB', wal_level: 'replica', max_wal_senders: 5, hot_standby: 'on' },
    };
    const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
    this.#run('pg_ctl', 'start', '-D', folder, '-w', '-s', '-l', `${folder}.log`, '-o', flags.join(' '));
  }

  #run(name: string, ...args: readonly string[]): void {
    runAsPostgres(postgresProgram(name), args, this.#folder);
  }
}

async function execute(port: number, database: string, sql: string): Promise<void> {
  const client = new Client({ host: '127.0.0.1', port, user: USER, database });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
