import { describe, expect, it } from 'vitest';
import { ParameterTable } from '../../../../shared/puppet/catalog/parameter-table.ts';
import type { ParameterSetting } from '../../../../shared/puppet/catalog/resource.ts';

const setting = (name: string, value: string): ParameterSetting => ({
  name,
  value,
  unit: null,
  append: false,
  file: undefined,
  line: undefined,
});

describe('ParameterTable', () => {
  it.each([3, 8, 9, 30])('keeps %d parameters in the order in which they were first set', (count) => {
    const names = Array.from({ length: count }, (_, index) => `p${index}`);
    const table = new ParameterTable();
    for (const name of names) table.set(setting(name, 'old'));
    table.set(setting('p1', 'new'));
    expect([...table].map(({ name, value }) => [name, value])).toEqual(
      names.map((name) => [name, name === 'p1' ? 'new' : 'old']),
    );
    expect([table.has('p0'), table.has('other'), table.get('p1')?.value, table.get('other')]).toEqual([
      true,
      false,
      'new',
      undefined,
    ]);
  });
});
