import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { withoutRichData } from '../../../../shared/http/exchange/plain-catalog.ts';
import { compileSource } from '../../../helpers/compile-source.ts';

interface Recorded {
  readonly title: string;
  /** Null: the resource has no parameters. */
  readonly rich: unknown;
  readonly plain: unknown;
}

const FIXTURES = join(import.meta.dirname, '../../../fixtures/rich-data');
/** From `record.rb`. */
const recorded: { cases: readonly Recorded[] } = JSON.parse(readFileSync(join(FIXTURES, 'values.json'), 'utf8'));

async function plainOf(catalog: unknown): Promise<string> {
  return gunzipSync(await withoutRichData(gzipSync(JSON.stringify(catalog)))).toString('utf8');
}

describe('a catalog for an agent that takes no rich data', () => {
  it.each(recorded.cases.map((one) => [one.title, one] as const))('has %s as Puppet writes it', async (title, one) => {
    const resource = (parameters: unknown) => ({ type: 'Notify', title, ...(parameters ? { parameters } : {}) });
    expect(await plainOf({ resources: [resource(one.rich)] })).toBe(
      JSON.stringify({ resources: [resource(one.plain)] }),
    );
  });

  it('is what Puppet makes of the same manifest', async () => {
    const result = compileSource(readFileSync(join(FIXTURES, 'values.pp'), 'utf8'));
    if (result.status !== 'ok') throw new Error(JSON.stringify(result));
    const catalog = JSON.parse(await plainOf(JSON.parse(result.catalog)));
    const shown = catalog.resources
      .filter(({ type }: { type: string }) => type === 'Notify')
      .map(({ title, parameters = null }: { title: string; parameters: unknown }) => ({ title, plain: parameters }));
    expect(shown).toEqual(recorded.cases.map(({ title, plain }) => ({ title, plain })));
  });

  it('is the very same when there is nothing rich in it', async () => {
    const gzipped = gzipSync('{"resources":[{"parameters":{"a":1.0}}]}');
    expect(await withoutRichData(gzipped)).toBe(gzipped);
  });

  it('keeps numbers as they were written', async () => {
    const text = '{"resources":[{"parameters":{"a":1.0,"b":12345678901234567890,"c":{"__ptype":"Default"}}}]}';
    const shown = gunzipSync(await withoutRichData(gzipSync(text))).toString('utf8');
    expect(shown).toBe('{"resources":[{"parameters":{"a":1.0,"b":12345678901234567890,"c":"default"}}]}');
  });
});
