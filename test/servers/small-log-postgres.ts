import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresConnection } from '../../shared/store/postgres/connection.ts';
import { readDatabasePlace } from '../../shared/store/postgres/place.ts';
import { prepareTables } from '../../shared/store/postgres/schema.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { giveToPostgres, postgresProgram, runAsPostgres } from '../helpers/real-postgres.ts';

const USER = 'understudy';

/** A PostgreSQL with all tables, whose log (`pg_wal`) is on a small file system in memory. */
export class SmallLogPostgres {
  readonly #home: string;
  readonly #port: number;
  /** The folder that the small file system is mounted on. */
  readonly folder: string;

  private constructor(home: string, folder: string, port: number) {
    this.#home = home;
    this.folder = folder;
    this.#port = port;
  }

  /** Null where nothing can be mounted. */
  static async start(parent: string, bytes: number): Promise<SmallLogPostgres | null> {
    const [home, folder] = [join(parent, 'postgres'), join(parent, 'log')];
    for (const one of [home, folder]) mkdirSync(one);
    giveToPostgres(home);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0777`, 'understudy-test', folder]);
    if (mounted.status !== 0) return null;
    const postgres = new SmallLogPostgres(home, folder, await findFreePort());
    const form = ['-E', 'UTF8', '--locale=C.UTF-8', '-A', 'trust', '-U', USER, '-N'];
    postgres.#run('initdb', '-D', postgres.#data, '-X', join(folder, 'wal'), '--wal-segsize=1', ...form);
    postgres.begin();
    const database = new PostgresConnection(readDatabasePlace(postgres.url), { connections: 1, name: 'test' });
    await prepareTables(database);
    await database.close();
    return postgres;
  }

  get url(): string {
    return `postgresql://${USER}@127.0.0.1:${this.#port}/postgres`;
  }

  get #data(): string {
    return join(this.#home, 'data');
  }

  /** Starts it with its data of before. */
  begin(): void {
    const settings = {
      ...{ port: this.#port, listen_addresses: '127.0.0.1', unix_socket_directories: '', shared_buffers: '32MB' },
      // No checkpoint makes room before the disk is full.
      ...{ max_wal_size: '1GB', max_connections: 150, autovacuum: 'off' },
    };
    const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
    this.#run('pg_ctl', 'start', '-D', this.#data, '-w', '-s', '-l', `${this.#data}.log`, '-o', flags.join(' '));
  }

  /** Whether its first process lives. */
  runs(): boolean {
    try {
      this.#run('pg_ctl', 'status', '-D', this.#data);
      return true;
    } catch {
      return false;
    }
  }

  stop(): void {
    if (this.runs()) this.#run('pg_ctl', 'stop', '-D', this.#data, '-m', 'immediate', '-s');
    spawnSync('umount', ['--lazy', this.folder]);
  }

  #run(name: string, ...args: readonly string[]): void {
    runAsPostgres(postgresProgram(name), args, this.#home);
  }
}
