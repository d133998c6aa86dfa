import type { LanguageLevel } from '../../config/language-level.ts';
import { isChecksumType } from '../../fleet/facts/checksum-types.ts';
import { languageOf } from '../../puppet/levels/language.ts';
import { internalServerError } from '../exchange/answers.ts';
import type { QueryParameters } from '../exchange/ruby-parameters.ts';
import { type Checksums, formatTimestamp } from './checksum.ts';
import type { FoundPath } from './fileset.ts';
import type { ServedEnvironment, ServedPath } from './served-environment.ts';

/** Whether a symbolic link is returned as a link, or followed. */
export type LinkHandling = 'manage' | 'follow';

/** Parameters of a metadata request. */
export interface MetadataOptions {
  readonly links: LinkHandling;
  readonly checksumType: string;
  /** Whether the source's owner and mode are requested. */
  readonly usePermissions: boolean;
}

interface MetadataContext extends MetadataOptions {
  readonly checksums: Checksums;
  readonly deployedAt: number;
}

/** The wire form of lib/puppet/file_serving/metadata.rb, its keys in that order. */
interface FileMetadata {
  readonly path: string;
  readonly relative_path: string | null;
  readonly links: LinkHandling;
  readonly owner: number;
  readonly group: number;
  readonly mode: number;
  readonly checksum: { readonly type: string; readonly value: string | null };
  readonly type: 'file' | 'directory' | 'link';
  readonly destination: string | null;
}

// Puppet: with `source_permissions => ignore` the mode is always 0644, even for a folder
// (FileServing::Metadata::MetaStat).
const IGNORED_MODE = 0o644;
const LINK_MODE = 0o777;

/** Metadata of one file, folder or link; root owns everything in a snapshot. */
export async function fileMetadata(served: ServedPath, context: MetadataContext): Promise<FileMetadata> {
  return describe(served, served.path, null, context);
}

/** Metadata of all results of a search. Refuses, like Puppet, to follow a link without a target. */
export async function filesetMetadata(
  environment: ServedEnvironment,
  found: readonly FoundPath[],
  context: MetadataContext,
): Promise<readonly FileMetadata[]> {
  const all: FileMetadata[] = [];
  for (const { base, relative } of found) {
    const path = relative === '.' ? base : `${base}/${relative}`;
    const served = environment.findServed(path, context.links);
    if (served === null) throw internalServerError(`No such file or directory - ${path}`);
    all.push(await describe(served, base, relative, context));
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
    destination: served.kind === 'link' ? served.destination : null,
  };
}

function sourceMode(served: ServedPath): number {
  if (served.kind === 'link') return LINK_MODE;
  return served.kind === 'file' ? served.file.mode : served.mode;
}

async function sourceChecksum(served: ServedPath, context: MetadataContext): Promise<FileMetadata['checksum']> {
  const { checksums, checksumType: type, deployedAt } = context;
  if (served.kind === 'directory') return { type: 'ctime', value: `{ctime}${formatTimestamp(deployedAt)}` };
  const writtenAt = served.writtenAt ?? deployedAt;
  if (served.file) return { type, value: await checksums.compute(type, served.file, writtenAt) };
  // The fields for a link to a folder or without a target.
  return { type, value: type === 'none' ? '{none}' : null };
}

/**
 * Reads the parameters common to all metadata requests, with links as in `find` (one path) or
 * `search` (a tree).
 */
export function readMetadataOptions(
  parameters: QueryParameters,
  how: 'find' | 'search',
  level: LanguageLevel,
): MetadataOptions {
  const links = readLinks(parameters.getText('links') ?? 'manage', how);
  const checksumType = parameters.getText('checksum_type') ?? 'sha256';
  if (!isChecksumType(checksumType, languageOf(level))) {
    throw internalServerError(`Unsupported checksum type ${checksumType}`);
  }
  const permissions = parameters.getText('source_permissions') ?? 'ignore';
  if (!['use', 'use_when_creating', 'ignore'].includes(permissions)) {
    throw internalServerError(`Unsupported source_permission ${permissions}`);
  }
  return { links, checksumType, usePermissions: permissions !== 'ignore' };
}

function readLinks(value: string, how: 'find' | 'search'): LinkHandling {
  if (value === 'manage' || value === 'follow') return value;
  if (how === 'search') throw internalServerError(`Invalid :links value '${value}'`);
  if (value === 'ignore') return 'manage';
  throw internalServerError(':links can only be set to :manage or :follow');
}
