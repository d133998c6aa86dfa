import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { unpackTar } from 'modern-tar/fs';
import { allDocuments } from '../../store/list-pages.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { InvalidatePorts } from '../fan-out/settle-environment.ts';
import { type Preparation, type PreparedEnvironment, prepareEnvironment } from './deploy.ts';
import {
  checkEnvironment,
  EmptyEnvironment,
  type ScanOptions,
  scanEnvironment,
  USUAL_PLACES,
} from './scan-environment.ts';

/** Collection of uploaded code that can be deployed; the key is the environment. */
const UPLOADED = 'staged-code';

/** Limits of an archive: unpacked bytes, and number of entries. */
const LARGEST_ARCHIVE = 1 << 30;
const MOST_ENTRIES = 200_000;

/** The archive cannot be used; the message gives the reason. */
export class InvalidArchive extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'InvalidArchive';
  }
}

/** Uploaded code that is not in force yet. */
export interface UploadedCode {
  readonly environment: string;
  readonly codeId: string;
  readonly at: number;
  readonly by: string;
}

export type UploadPorts = InvalidatePorts & Pick<Stores, 'documents'>;

/**
 * Stores an environment from a gzipped tar archive (its root is the environment's folder) for a
 * later deploy. It is not in force yet. Throws InvalidArchive, also for an archive that is not an
 * environment, unless `scan` allows that.
 */
export async function storeUploadedCode(
  ports: UploadPorts,
  environment: string,
  archive: ReadableStream<Uint8Array>,
  by: string,
  prepare: Preparation = {},
  scan: ScanOptions = {},
): Promise<UploadedCode & PreparedEnvironment> {
  const folder = await mkdtemp(join(tmpdir(), 'understudy-stage-'));
  try {
    const root = join(folder, 'environments', environment);
    await mkdir(root, { recursive: true });
    await unpack(archive, root);
    demandFiles(folder, environment, scan);
    const prepared = await prepareEnvironment(ports, await scanEnvironment(folder, environment, scan), prepare);
    const uploaded = { codeId: prepared.codeId, at: ports.clock.now(), by };
    await ports.documents.put(UPLOADED, environment, uploaded);
    return { environment, files: prepared.files, ...uploaded };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The uploaded code of the environment; null for none. */
export async function findUploadedCode(
  { documents }: Pick<UploadPorts, 'documents'>,
  environment: string,
): Promise<UploadedCode | null> {
  const document = await documents.get(UPLOADED, environment);
  return document && readUploaded(environment, document);
}

/** The uploaded code of all environments, by name. */
export async function listUploadedCode({
  documents,
}: Pick<UploadPorts, 'documents'>): Promise<readonly UploadedCode[]> {
  const uploaded: UploadedCode[] = [];
  for await (const { key, document } of allDocuments(documents, UPLOADED)) uploaded.push(readUploaded(key, document));
  return uploaded;
}

function readUploaded(environment: string, { codeId, at, by }: Readonly<Record<string, unknown>>): UploadedCode {
  if (typeof codeId !== 'string') throw new Error(`invariant: the uploaded code of ${environment} has no id`);
  return { environment, codeId, at: Number(at), by: String(by) };
}

/** Throws InvalidArchive for an empty environment. */
function demandFiles(folder: string, environment: string, scan: ScanOptions): void {
  try {
    checkEnvironment(folder, environment, scan);
  } catch (error) {
    if (!(error instanceof EmptyEnvironment)) throw error;
    throw new InvalidArchive(
      `the archive is not an environment: it has no file of ${USUAL_PLACES}; ?allow-empty=true accepts it anyway`,
      error,
    );
  }
}

/**
 * Deletes the uploaded code of an environment, so that a deploy of all environments does not
 * restore it.
 */
export async function forgetUploadedCode(
  { documents }: Pick<UploadPorts, 'documents'>,
  environment: string,
): Promise<void> {
  await documents.delete(UPLOADED, environment);
}

async function unpack(archive: ReadableStream<Uint8Array>, root: string): Promise<void> {
  let entries = 0;
  const limited = createByteLimit(LARGEST_ARCHIVE);
  const files = unpackTar(root, {
    dmode: 0o755,
    filter: ({ name, type }) => {
      entries += 1;
      if (entries > MOST_ENTRIES) throw new InvalidArchive(`the archive has more than ${MOST_ENTRIES} entries`);
      if (type === 'file' || type === 'directory' || type === 'symlink') return true;
      throw new InvalidArchive(`the archive contains '${name}', a ${type}: only files, folders and links are allowed`);
    },
  });
  try {
    await pipeline(Readable.from(archive), createGunzip(), limited, files);
  } catch (error) {
    if (error instanceof InvalidArchive) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidArchive(`the body is not a gzipped tar archive of an environment: ${reason}`, error);
  }
}

function createByteLimit(bytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      size += chunk.byteLength;
      if (size > bytes) done(new InvalidArchive(`the archive unpacks to more than ${bytes} bytes`));
      else done(null, chunk);
    },
  });
}
