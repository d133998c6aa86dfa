/**
 * The damage that was found in a data directory, in a file of it: a line for each thing, so that
 * all threads and processes can add to it. A process that is killed loses nothing.
 */
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DAMAGE_FOUND } from '../directory-files.ts';
import { giveToFolderOwner } from '../folder-owner.ts';

/** `database`: SQLite itself found it. */
const DAMAGE_KINDS = ['blob', 'row', 'database'] as const;
type DamageKind = (typeof DAMAGE_KINDS)[number];

export interface Damage {
  readonly kind: DamageKind;
  /** Key of a blob; table and key of a row; SQLite's message. */
  readonly name: string;
}

/** Much damage is one loss: more of it is not listed. */
const MOST_BYTES = 65_536;
const SHOWN = 3;
const LINE = new RegExp(`^(${DAMAGE_KINDS.join('|')}) (.+)$`);

/** Adds damage to the file, once. A directory that nobody can write to has no such file. */
export function noteDamage(directory: string, { kind, name }: Damage): void {
  const line = `${kind} ${name.replaceAll(/\s+/g, ' ')}\n`;
  try {
    const text = readText(directory);
    if (text.length > MOST_BYTES || `\n${text}`.includes(`\n${line}`)) return;
    appendFileSync(join(directory, DAMAGE_FOUND), line, { mode: 0o600 });
    if (text === '') giveToFolderOwner(join(directory, DAMAGE_FOUND));
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
}

/** All damage that was found since the last `forgetDamage`. */
export function readDamage(directory: string): readonly Damage[] {
  return readText(directory)
    .split('\n')
    .flatMap((line) => {
      const [, kindText, name = ''] = LINE.exec(line) ?? [];
      const kind = DAMAGE_KINDS.find((one) => one === kindText);
      return kind === undefined ? [] : [{ kind, name }];
    });
}

/** All of it is healed, or named by `verify`. */
export function forgetDamage(directory: string): void {
  rmSync(join(directory, DAMAGE_FOUND), { force: true });
}

/** The number of things of each kind. */
export function countDamage(found: readonly Damage[]): Readonly<Record<DamageKind, number>> {
  const counts = { blob: 0, row: 0, database: 0 };
  for (const { kind } of found) counts[kind] += 1;
  return counts;
}

/** A warning that names what was found, with the remedy; none for nothing. */
export function describeDamage(found: readonly Damage[]): readonly string[] {
  if (found.length === 0) return [];
  const names = found.slice(0, SHOWN).map(({ kind, name }) => `${kind} ${name}`);
  const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : '';
  const remedy = "'understudy verify --repair' says what is lost and heals what it can";
  return [`Damage was found in the data directory: ${names.join(', ')}${more}: ${remedy}`];
}

function readText(directory: string): string {
  try {
    return readFileSync(join(directory, DAMAGE_FOUND), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
