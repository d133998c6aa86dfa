import { createHash } from 'node:crypto';
import { PREFIXES } from '../../config/deployment.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';

/** A file that agents download below `/packages/<version>/`. */
export interface StoredPackage {
  readonly version: string;
  /** `debian-12-amd64/puppet-agent.deb` */
  readonly path: string;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

type PackagePorts = Pick<Stores, 'documents' | 'blobs' | 'clock'>;

const COLLECTION = 'packages';
const CURRENT = ['package-versions', 'current'] as const;
const NAME = /^(?!\.)[\w.+~-]{1,100}$/;
const MOST_LISTED = 10_000;

/**
 * Creates or replaces a file. Throws StoreRefused for a version or path that does not suit a URL.
 */
export async function storePackage(
  { documents, blobs, clock }: PackagePorts,
  version: string,
  path: string,
  bytes: Uint8Array,
): Promise<StoredPackage> {
  checkNames(version, path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await blobs.putIfAbsent(PREFIXES.packages + sha256, bytes);
  const stored = { sha256, size: bytes.byteLength };
  await documents.put(COLLECTION, `${version}/${path}`, { ...stored, at: clock.now() });
  return { version, path, ...stored };
}

/** Makes `version` the current one. */
export async function makeCurrent({ documents, clock }: PackagePorts, version: string): Promise<void> {
  checkNames(version, 'x');
  await documents.put(...CURRENT, { version, at: clock.now() });
}

/** Resolves `current` to its version; returns any other version unchanged. */
async function versionOf(documents: DocumentStore, version: string): Promise<string> {
  if (version !== 'current') return version;
  const current = await documents.get(...CURRENT);
  return typeof current?.version === 'string' ? current.version : version;
}

/** The file of a URL; null when it does not exist. */
export async function findPackage(
  documents: DocumentStore,
  version: string,
  path: string,
): Promise<StoredPackage | null> {
  const actual = await versionOf(documents, version);
  const stored = await documents.get(COLLECTION, `${actual}/${path}`);
  if (typeof stored?.sha256 !== 'string' || typeof stored.size !== 'number') return null;
  return { version: actual, path, sha256: stored.sha256, size: stored.size };
}

/** All files, sorted by version and path. */
export async function listPackages({ documents }: PackagePorts): Promise<readonly StoredPackage[]> {
  const found = await documents.list(COLLECTION, '', MOST_LISTED);
  return found.map(({ key, document }) => {
    const [version = '', ...path] = key.split('/');
    return { version, path: path.join('/'), sha256: String(document.sha256), size: Number(document.size) };
  });
}

function checkNames(version: string, path: string): void {
  const bad = [version, ...path.split('/')].find((part) => !NAME.test(part));
  if (bad !== undefined) throw new StoreRefused(`'${bad}' cannot stand in the path of a package`);
}
