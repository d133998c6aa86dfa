import { readdirSync, readFileSync } from 'node:fs';
import { runCompileCase } from '../../shared/cli/parity/compile-case.ts';
import type { ParityCase } from '../../shared/cli/parity/parity-case.ts';
import { DEFAULT_EXTERNAL_MODULES } from '../../shared/cli/parity/parity-command.ts';
import { runParseCase } from '../../shared/cli/parity/parse-case.ts';
import { type GradedOutcome, listDisagreements } from './parity-score.ts';

const FOLDER = new URL('../fixtures/judged/', import.meta.url);

/** A program with what real Puppet made of it; its files are beside those of the whole fixture. */
export interface JudgedCase extends Partial<ParityCase> {
  readonly id: string;
  readonly source: string;
  readonly outcome: GradedOutcome;
}

export interface JudgedCases {
  /** The version that was asked. */
  readonly puppet: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Of the issue codes: Puppet's issues by name, with their codes. */
  readonly issues?: Readonly<Record<string, string>>;
  readonly cases: readonly JudgedCase[];
}

/** The files with such programs. */
export function listJudgedFixtures(): readonly string[] {
  return readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
}

export function readJudgedCases(name: string): JudgedCases {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
}

/** What we make of it. */
export function outcomeHere({ files = {} }: JudgedCases, judged: JudgedCase): GradedOutcome {
  const { outcome: _, ...asked } = judged;
  const parityCase = { kind: 'compile', ...asked, files: { ...files, ...asked.files } } as const;
  if (parityCase.kind !== 'compile') return toPlain(runParseCase(parityCase));
  return JSON.parse(
    runCompileCase(JSON.stringify(parityCase), parityCase, { externalModules: DEFAULT_EXTERNAL_MODULES }),
  );
}

function toPlain(outcome: unknown): GradedOutcome {
  return JSON.parse(JSON.stringify(outcome));
}

/**
 * In what the outcomes differ, with both of them; null when they agree. What was not recorded is
 * not compared.
 */
export function findDifference(judged: JudgedCase, ours: GradedOutcome): unknown {
  const { status, error, logs, catalog, pn } = ours;
  const { outcome } = judged;
  const compared = { status, error, logs, ...(outcome.catalog && { catalog }), ...(outcome.pn && { pn }) };
  const levels = listDisagreements(outcome, compared);
  if (levels.length === 0) return null;
  return { levels, source: judged.source, puppet: outcome, here: compared };
}
