import { describe, expect, it } from 'vitest';
import type { FactSeen } from '../../../../shared/puppet/environment/environment.ts';
import { FactNotes } from '../../../../shared/puppet/environment/fact-notes.ts';

const ABSENT: FactSeen = { how: 'absent' };
const PRESENT: FactSeen = { how: 'present' };

function pathsAfter(...notes: readonly (readonly [path: readonly string[], seen: FactSeen])[]): readonly string[] {
  const noted = new FactNotes();
  for (const [path, seen] of notes) noted.note(path.slice(0, -1), path.at(-1) ?? null, seen);
  return [...noted.all().keys()].sort();
}

describe('notes of what is not there', () => {
  it('stand beside each other, the inner and the outer one, in any order', () => {
    const outer = [['os'], ABSENT] as const;
    const inner = [['os', 'name'], ABSENT] as const;
    expect(pathsAfter(outer, inner)).toEqual(['["os","name"]', '["os"]']);
    expect(pathsAfter(inner, outer)).toEqual(['["os","name"]', '["os"]']);
  });

  it('give way to a note of the same key, or of one in it, that is there', () => {
    expect(pathsAfter([['os'], ABSENT], [['os', 'name'], PRESENT])).toEqual(['["os","name"]']);
    const noted = new FactNotes();
    noted.note([], 'os', ABSENT);
    noted.note([], 'os', PRESENT);
    const there = new FactNotes();
    there.note([], 'os', PRESENT);
    expect(noted.all()).toEqual(there.all());
  });
});
