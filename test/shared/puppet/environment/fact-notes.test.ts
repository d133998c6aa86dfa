import { describe, expect, it } from 'vitest';
import type { RecordedFact } from '../../../../shared/puppet/environment/environment.ts';
import { FactRecorder } from '../../../../shared/puppet/environment/fact-notes.ts';

const ABSENT: RecordedFact = { how: 'absent' };
const PRESENT: RecordedFact = { how: 'present' };

function pathsAfter(...notes: readonly (readonly [path: readonly string[], seen: RecordedFact])[]): readonly string[] {
  const noted = new FactRecorder();
  for (const [path, seen] of notes) noted.record(path.slice(0, -1), path.at(-1) ?? null, seen);
  return [...noted.getAll().keys()].sort();
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
    const noted = new FactRecorder();
    noted.record([], 'os', ABSENT);
    noted.record([], 'os', PRESENT);
    const there = new FactRecorder();
    there.record([], 'os', PRESENT);
    expect(noted.getAll()).toEqual(there.getAll());
  });
});
