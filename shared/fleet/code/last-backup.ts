import type { DocumentStore } from '../../store/ports/document-store.ts';

const COLLECTION = 'backups';
const LAST = 'last';

/** The newest backup of a data directory. */
export interface LastBackup {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The file, as the command named it. */
  readonly file: string;
  readonly blobs: number;
}

/** Notes that a backup was written. A restored directory does not know of the backup it is from. */
export async function noteBackup(documents: DocumentStore, backup: LastBackup): Promise<void> {
  await documents.put(COLLECTION, LAST, { ...backup });
}

/** The newest backup that was noted; null without one. */
export async function readLastBackup(documents: DocumentStore): Promise<LastBackup | null> {
  const found = await documents.get(COLLECTION, LAST);
  if (found === null) return null;
  const { at, file, blobs } = found;
  return { at: Number(at), file: String(file), blobs: Number(blobs) };
}
