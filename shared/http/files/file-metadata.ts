import type { BlobStore } from '../../store/ports.ts';
import { badRequest } from '../answers.ts';
import { checksum, timestamp } from './checksum.ts';
import type { FoundPath } from './fileset.ts';
import type { ServedEnvironment, ServedPath } from './served-environment.ts';

/** How metadata is asked for. */
export interface MetadataOptions {
  readonly links: 'manage' | 'follow';
  readonly checksumType: string;
  /** Whether the source's own owner and mode are wanted. */
  readonly usePermissions: boolean;
}

export interface MetadataContext extends MetadataOptions {
  readonly blobs: BlobStore;
  readonly deployedAt: number;
}

/** The wire form of lib/puppet/file_serving/metadata.rb, its keys in that order. */
export interface FileMetadata {
  readonly path: string;
  readonly relative_path: string | null;
  readonly links: 'manage' | 'follow';
  readonly owner: number;
  readonly group: number;
  readonly mode: number;
  readonly checksum: { readonly type: string; readonly value: string };
  readonly type: 'file' | 'directory';
  readonly destination: null;
}

// Puppet: with `source_permissions => ignore` even a folder is said to have 0644 (FileServing::Metadata::MetaStat).
const IGNORED_MODE = 0o644;
const FOLDER_MODE = 0o755;

/** Metadata of one file or folder; a snapshot has no links, and everything in it belongs to root. */
export async function fileMetadata(served: ServedPath, context: MetadataContext): Promise<FileMetadata> {
  return describe(served, served.path, null, context);
}

/** Metadata of all that a search found. */
export async function filesetMetadata(
  environment: ServedEnvironment,
  found: readonly FoundPath[],
  context: MetadataContext,
): Promise<readonly FileMetadata[]> {
  const all: FileMetadata[] = [];
  for (const { base, relative } of found) {
    const served = environment.at(relative === '.' ? base : `${base}/${relative}`);
    if (served !== null) all.push(await describe(served, base, relative, context));
  }
  return all;
}

async function describe(
  served: ServedPath,
  path: string,
  relativePath: string | null,
  context: MetadataContext,
): Promise<FileMetadata> {
  return {
    path,
    relative_path: relativePath,
    links: context.links,
    owner: 0,
    group: 0,
    mode: context.usePermissions ? sourceMode(served) : IGNORED_MODE,
    checksum: await sourceChecksum(served, context),
    type: served.kind,
    destination: null,
  };
}

function sourceMode(served: ServedPath): number {
  return served.kind === 'file' ? served.file.mode : FOLDER_MODE;
}

async function sourceChecksum(served: ServedPath, context: MetadataContext): Promise<FileMetadata['checksum']> {
  if (served.kind === 'directory') return { type: 'ctime', value: `{ctime}${timestamp(context.deployedAt)}` };
  const { sha256 } = served.file;
  const bytes = async () => (await context.blobs.get(`files/${sha256}`)) ?? new Uint8Array();
  const value = await checksum(context.checksumType, { sha256, changedAt: context.deployedAt, bytes });
  return { type: context.checksumType, value };
}

/** Reads the parameters that all metadata requests share. */
export function readMetadataOptions(query: URLSearchParams): MetadataOptions {
  const links = query.get('links') ?? 'manage';
  if (links !== 'manage' && links !== 'follow') throw badRequest(`Invalid :links value '${links}'`);
  const permissions = query.get('source_permissions') ?? 'ignore';
  if (!['use', 'use_when_creating', 'ignore'].includes(permissions)) {
    throw badRequest(`Unsupported source_permission ${permissions}`);
  }
  return {
    links,
    checksumType: query.get('checksum_type') ?? 'sha256',
    usePermissions: permissions !== 'ignore',
  };
}
