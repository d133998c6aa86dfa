/** The ids of cases that agree with real Puppet: one line for each prefix, what comes behind it separated by spaces. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('./baseline.ours.txt', import.meta.url);

export function readBaseline(): Set<string> {
  const ids = new Set<string>();
  if (!existsSync(FILE)) return ids;
  for (const line of readFileSync(FILE, 'utf8').split('\n')) {
    const [prefix = '', ...rest] = line.split(' ');
    for (const each of rest) ids.add(prefix + each);
  }
  return ids;
}

export function writeBaseline(ids: Iterable<string>): void {
  const byPrefix = new Map<string, string[]>();
  for (const id of [...ids].sort()) {
    const prefix = id.slice(0, id.lastIndexOf('-') + 1);
    const list = byPrefix.get(prefix) ?? [];
    byPrefix.set(prefix, list);
    list.push(id.slice(prefix.length));
  }
  writeFileSync(FILE, [...byPrefix].map(([prefix, rest]) => `${prefix} ${rest.join(' ')}\n`).join(''));
}
