import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { TarHeader } from 'modern-tar';
import { packTar, unpackTar } from 'modern-tar/fs';
import { messageOf } from '../../util/message-of.ts';
import { unobserved, type WorkObserver } from '../../util/work-observer.ts';
import { StoreRefused } from '../ports/store-errors.ts';
import { checkDatabase, withPlainConnection } from './damage/database-check.ts';
import { BLOBS, DATABASE, KEY_FILE, VALUES_KEY_FILE } from './directory-files.ts';
import { giveTreeToFolderOwner } from './folder-owner.ts';
import { migrateSchema } from './migrate-schema.ts';
import { findSchemaState } from './schema-check.ts';

/** Says what the archive is; the first thing that a restore looks at. */
const MARK = 'understudy-backup.json';
const FORMAT = 1;
const LINKS_AT_ONCE = 64;

/** Content of a backup. */
interface BackupSummary {
  readonly blobs: number;
  /** Whether the archive has the file that seals the CA's key. */
  readonly hasKeyFile: boolean;
}

/**
 * Writes a data directory into a gzipped tar archive, readable by its owner only, while a server
 * may run on it. The database is copied first, in one read transaction; then the blobs are linked,
 * within seconds. A blob that the database names exists before the database names it, so the
 * archive has it, unless it was deleted between the two: nothing is deleted while the caller keeps
 * pruning away (`withUploadLock`). `withKeys`: with the files that seal the CA's key and kept
 * values. Throws StoreRefused when the file exists or cannot be written.
 */
export async function backUpDirectory(
  directory: string,
  file: string,
  at: number,
  withKeys = true,
  observe: WorkObserver = unobserved,
): Promise<BackupSummary> {
  if (existsSync(file)) throw new StoreRefused(`the file '${file}' exists`);
  const stage = join(directory, `backup-${randomBytes(6).toString('hex')}`);
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(stage, { mode: 0o700 });
    observe('copying the database');
    copyDatabase(directory, join(stage, DATABASE));
    const blobs = await linkBelow(join(directory, BLOBS), join(stage, BLOBS));
    const hasKeyFile = withKeys && existsSync(join(directory, KEY_FILE));
    for (const key of withKeys ? [KEY_FILE, VALUES_KEY_FILE] : []) {
      if (existsSync(join(directory, key))) await copyFile(join(directory, key), join(stage, key));
    }
    writeFileSync(join(stage, MARK), JSON.stringify({ format: FORMAT, at, blobs }));
    const target = createWriteStream(unfinished, { mode: 0o600, flags: 'wx', flush: true });
    await pipeline(packTar(stage, { map: countFiles(blobs, observe) }), createGzip({ level: 1 }), target);
    await rename(unfinished, file);
    return { blobs, hasKeyFile };
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused(`the backup '${file}' cannot be written: ${messageOf(error)}`, error);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/**
 * Makes a data directory of a backup, with the tables of this release. The directory must not
 * exist, or be empty; it appears complete or not at all. Throws StoreRefused.
 */
export async function restoreDirectory(
  file: string,
  directory: string,
  observe: WorkObserver = unobserved,
): Promise<BackupSummary & { readonly at: number }> {
  const target = resolve(directory);
  const present = await readdir(target).catch(() => []);
  if (present.length > 0) throw new StoreRefused(`data directory '${directory}' is not empty: move it away first`);
  const draft = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    // Compares the checksum at the end first: within a damaged archive, unpacking may never end.
    await pipeline(
      readObserved(file, 'checking the archive, MB', observe),
      createGunzip(),
      new Writable({ write: (_chunk, _encoding, done) => done() }),
    );
    await mkdir(draft, { recursive: true, mode: 0o700 });
    await pipeline(readObserved(file, 'unpacking, MB', observe), createGunzip(), unpackTar(draft));
    observe('checking the database');
    const mark = readMark(draft, file);
    withPlainConnection(draft, (connection) => {
      if (findSchemaState(connection, draft) === 'older') migrateSchema(connection, directory);
    });
    const { faults } = checkDatabase(draft);
    if (faults.length > 0) throw new StoreRefused(`the database in '${file}' is damaged: ${faults[0]}`);
    await rm(join(draft, MARK));
    giveTreeToFolderOwner(draft);
    await rm(target, { recursive: true, force: true });
    await rename(draft, target);
    await syncFolder(dirname(target));
    return { ...mark, hasKeyFile: existsSync(join(target, KEY_FILE)) };
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused(describeUnrestorable(file, error), error);
  }
}

/** Counts the files of an archive as they are packed; `blobs` are most of them. */
function countFiles(blobs: number, observe: WorkObserver) {
  let packed = 0;
  return (header: TarHeader): TarHeader => {
    if (header.type === 'file' && packed < blobs) packed += 1;
    observe('packing blobs', packed, blobs);
    return header;
  };
}

const MB = 2 ** 20;

/** Reads a file, and reports how many of its megabytes were read. */
async function* readObserved(file: string, what: string, observe: WorkObserver): AsyncGenerator<Uint8Array> {
  const { size } = await stat(file);
  let read = 0;
  for await (const piece of createReadStream(file)) {
    read += piece.length;
    observe(what, Math.floor(read / MB), Math.ceil(size / MB));
    yield piece;
  }
}

function describeUnrestorable(file: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return `the backup '${file}' does not exist`;
  // Not gzip, cut short, or no archive within.
  if (code.startsWith('Z_')) return `'${file}' is no backup of Understudy: ${messageOf(error)}`;
  return `the backup '${file}' cannot be restored: ${messageOf(error)}`;
}

/** `VACUUM INTO` reads in one transaction: writers go on, and do not make it begin anew. */
function copyDatabase(directory: string, to: string): void {
  withPlainConnection(directory, (connection) => connection.prepare('VACUUM INTO ?').run(to));
}

/**
 * Links all files below a folder into another one; returns their number. Blobs are replaced by
 * renaming, so a link keeps its content.
 */
async function linkBelow(from: string, to: string): Promise<number> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const entries = await readdir(from, { withFileTypes: true });
  let count = 0;
  for (let index = 0; index < entries.length; index += LINKS_AT_ONCE) {
    const page = entries.slice(index, index + LINKS_AT_ONCE);
    const counts = await Promise.all(
      page.map((entry) => {
        const [source, target] = [join(from, entry.name), join(to, entry.name)];
        return entry.isDirectory() ? linkBelow(source, target) : linkFile(source, target);
      }),
    );
    for (const one of counts) count += one;
  }
  return count;
}

/** A report may expire meanwhile. */
async function linkFile(from: string, to: string): Promise<number> {
  try {
    await link(from, to);
    return 1;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}

function readMark(folder: string, file: string): { readonly at: number; readonly blobs: number } {
  const path = join(folder, MARK);
  if (!existsSync(path)) throw new StoreRefused(`'${file}' is no backup of Understudy`);
  const { format, at, blobs } = Object(JSON.parse(readFileSync(path, 'utf8')));
  if (format !== FORMAT) throw new StoreRefused(`'${file}' has the format ${format} of another release`);
  return { at: Number(at), blobs: Number(blobs) };
}

async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
