import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MODULES, runPlanSource } from './run-plan-source.ts';

const FOLDER = join(import.meta.dirname, '../../../fixtures/plans');

/** A plan, and what real Bolt made of it; `record.rb` beside the cases asked it. */
interface PlanCase {
  readonly id: string;
  readonly plan: string;
  readonly files: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly status: string;
  readonly result: unknown;
  readonly events: readonly (readonly unknown[])[];
}

/** Cases in which we differ from Bolt; docs/plans.md has the reasons. */
const DIFFERENT: ReadonlySet<string> = new Set(['tasks/with-no-hash', 'resources/resource: a type of Puppet']);

/**
 * Bolt's steps begin in threads of their own, so that their order beside the rest is not fixed; and
 * later releases of Ruby's JSON print empty lists on one line.
 */
function comparable({ status, result, events }: Pick<PlanCase, 'status' | 'result' | 'events'>): unknown {
  const steps = events.filter(([type]) => type === 'step').map((event) => JSON.stringify(event));
  const others = events.filter(([type]) => type !== 'step');
  const text = JSON.stringify({ status, result, steps: steps.sort(), others });
  return JSON.parse(
    text
      .replaceAll(MODULES, 'MODULES')
      .replaceAll(/\[(?:\\n| )+\]/g, '[]')
      .replaceAll(/\{(?:\\n| )+\}/g, '{}'),
  );
}

const topics = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

describe.each(topics)('plans as Bolt runs them: %s', (file) => {
  const { cases }: { readonly cases: readonly PlanCase[] } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
  const topic = file.replace('.json', '');

  it.each(cases.map((one) => [one.id, one] as const))('%s', (id, one) => {
    const { status, result, host } = runPlanSource(one);
    const ours = comparable({ status, result, events: host.events });
    const theirs = comparable(one);
    if (DIFFERENT.has(`${topic}/${id}`)) expect(ours).not.toEqual(theirs);
    else expect(ours).toEqual(theirs);
  });
});
