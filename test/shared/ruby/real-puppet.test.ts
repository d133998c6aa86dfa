/** What real Puppet does with the Ruby of modules: recorded by `test/fixtures/ruby/record.ts` with Puppet 7.23. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runCompileCase } from '../../../shared/parity/compile-case.ts';
import { readRubyCases, readRubyOutcomes } from '../../helpers/ruby-cases.ts';

const TOPICS = readdirSync(new URL('../../fixtures/ruby/', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe.each(TOPICS)('%s', (topic) => {
  const outcomes = readRubyOutcomes(topic);

  it.each(readRubyCases(topic).map((line) => [JSON.parse(line).id, line]))('does as real Puppet: %s', (id, line) => {
    const outcome = JSON.parse(runCompileCase(line, JSON.parse(line), { externalModules: '/no-modules' }));
    expect(comparable(id, outcome)).toEqual(outcomes.get(id));
  });
});

interface Outcome {
  readonly status: string;
  readonly error?: { readonly message: string };
  readonly logs?: readonly { readonly level: string; readonly message: string }[];
  readonly catalog?: { readonly resources: readonly { type: string; title: string; parameters?: unknown }[] };
}

function comparable(id: string, { status, error, logs = [], catalog }: Outcome): unknown {
  return {
    id,
    status,
    ...(error && { message: error.message }),
    logs: logs.map(({ level, message }) => `${level}: ${message}`),
    ...(catalog && {
      resources: catalog.resources
        .slice(3)
        .map(({ type, title, parameters = {} }) => [`${type}[${title}]`, parameters]),
    }),
  };
}
