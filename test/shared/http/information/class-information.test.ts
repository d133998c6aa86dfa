import { describe, expect, it } from 'vitest';
import { classesOf } from '../../../../shared/http/information/class-information.ts';

describe('the classes of a manifest', () => {
  it('are an error when it is nested too deeply to be read', () => {
    expect(classesOf('['.repeat(200_000), '/m.pp')).toEqual({ error: 'stack level too deep', path: '/m.pp' });
  });
});
