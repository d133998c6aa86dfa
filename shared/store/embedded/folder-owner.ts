import { lchownSync, readdirSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/** A user and a group, as numbers; null: files stay as they are made. */
type Owner = { readonly uid: number; readonly gid: number } | null;

/**
 * The owner of a new file in this folder when root makes it: that of the folder. Otherwise a server
 * that runs as its own user could not use what an operator's command made. Null for other users.
 */
function ownerIn(folder: string): Owner {
  if (process.geteuid?.() !== 0) return null;
  const { uid, gid } = statSync(folder);
  return uid === 0 ? null : { uid, gid };
}

/** Gives what root has made to the owner of the folder that it is in; links are not followed. */
export function giveToFolderOwner(path: string): void {
  const owner = ownerIn(dirname(path));
  if (owner !== null) lchownSync(path, owner.uid, owner.gid);
}

/**
 * Gives a folder that root has made, and all below it, to the owner of the folder that it is in.
 */
export function giveTreeToFolderOwner(path: string): void {
  const owner = ownerIn(dirname(path));
  if (owner === null) return;
  const below = readdirSync(path, { recursive: true, encoding: 'utf8' });
  for (const one of [path, ...below.map((name) => join(path, name))]) lchownSync(one, owner.uid, owner.gid);
}

/** Gives an open file that root has made to the owner of a folder. */
export async function giveFileToOwnerOf(folder: string, file: FileHandle): Promise<void> {
  const owner = ownerIn(folder);
  if (owner !== null) await file.chown(owner.uid, owner.gid);
}

const DENIED = new Set<unknown>(['EACCES', 'EPERM']);
/** SQLite's READONLY and CANTOPEN. */
const DENIED_BY_SQLITE = new Set<unknown>([8, 14]);

/**
 * The remedy for a data directory that another user made, to append to the error; empty when that
 * is not its reason.
 */
export function adviseOwner(directory: string, error: unknown): string {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot || !(error instanceof Error) || !isDenied(error)) return '';
  const { uid, username } = userInfo();
  const owner = ownerOf(directory);
  if (owner === null) return '';
  const whose = owner === uid ? 'files in it belong to another user' : `it belongs to ${nameOf(owner)}`;
  return `; ${whose}, and this process is of the user ${username}: 'chown -R ${username}: ${directory}' gives it to that user`;
}

function isDenied(error: Error): boolean {
  if ('errcode' in error && typeof error.errcode === 'number') return DENIED_BY_SQLITE.has(error.errcode & 0xff);
  return 'code' in error && DENIED.has(error.code);
}

function ownerOf(path: string): number | null {
  try {
    return statSync(path).uid;
  } catch {
    // Nobody may look at it: the message says so already.
    return null;
  }
}

function nameOf(uid: number): string {
  return uid === 0 ? 'root' : `the user with the number ${uid}`;
}
