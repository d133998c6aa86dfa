import { chownSync, mkdirSync } from 'node:fs';
import { StartRefused } from './check-start.ts';

/**
 * Makes this process run as `user` (`USER[:GROUP]`, names or numbers; by default the group has the
 * user's name), in no other group. A data directory that does not exist yet is created for that
 * user. Throws StartRefused when this process is not root, or there is no such user.
 */
export function dropPrivileges(user: string, data: string): void {
  const [, name = '', group = name] = /^([\w.-]+)(?::([\w.-]+))?$/.exec(user) ?? [];
  if (name === '') throw new StartRefused('--user', `'${user}' is neither USER nor USER:GROUP`);
  if (process.getuid?.() !== 0) throw new StartRefused('--user', 'only root can become another user');
  const [uid, gid] = [toId(name), toId(group)];
  try {
    process.setgid?.(gid);
    process.setgroups?.([gid]);
    process.seteuid?.(uid);
    const own = { uid: process.geteuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    process.seteuid?.(0);
    if (mkdirSync(data, { recursive: true, mode: 0o700 }) !== undefined) chownSync(data, own.uid, own.gid);
    process.setuid?.(uid);
  } catch (error) {
    throw new StartRefused('--user', `'${user}': ${error instanceof Error ? error.message : error}`, error);
  }
}

function toId(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}
