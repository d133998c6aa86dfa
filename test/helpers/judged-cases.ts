import { readdirSync, readFileSync } from 'node:fs';
import { runCompileCase } from '../../shared/moving-over/parity/compile-case.ts';
import type { ParityCase } from '../../shared/moving-over/parity/parity-case.ts';
import { DEFAULT_EXTERNAL_MODULES } from '../../shared/moving-over/parity/parity-command.ts';
import { runParseCase } from '../../shared/moving-over/parity/parse-case.ts';
import type { LevelName } from '../../shared/puppet/levels/language.ts';
import { type GradedOutcome, listDisagreements } from './parity-score.ts';

const FOLDER = new URL('../fixtures/judged/', import.meta.url);

/** A program with the outcome of real Puppet; `files` adds to those of the whole fixture. */
export interface JudgedCase extends Partial<ParityCase> {
  readonly id: string;
  readonly source: string;
  /** The levels that have this outcome; absent: all. */
  readonly levels?: readonly LevelName[];
  readonly outcome: GradedOutcome;
}

export interface JudgedCases {
  /** The version of Puppet that recorded the outcomes. */
  readonly puppet: string;
  readonly files?: Readonly<Record<string, string>>;
  /** In issue-codes.json: Puppet's issues by name, with their codes. */
  readonly issues?: Readonly<Record<string, string>>;
  readonly cases: readonly JudgedCase[];
}

/** Lists the fixtures with such programs. */
export function listJudgedFixtures(): readonly string[] {
  return readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
}

export function readJudgedCases(name: string): JudgedCases {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
}

/** Returns our outcome at a level. */
export function outcomeHere(
  { files = {} }: JudgedCases,
  judged: JudgedCase,
  language: LevelName = 'puppet-8',
): GradedOutcome {
  const options = { language, externalModules: DEFAULT_EXTERNAL_MODULES };
  const { outcome: _, levels: _levels, ...asked } = judged;
  const parityCase = { kind: 'compile', ...asked, files: { ...files, ...asked.files } } as const;
  if (parityCase.kind !== 'compile') return toPlain(runParseCase(parityCase, options));
  return JSON.parse(runCompileCase(JSON.stringify(parityCase), parityCase, options));
}

function toPlain(outcome: unknown): GradedOutcome {
  return JSON.parse(JSON.stringify(outcome));
}

/**
 * Returns the differing levels with both outcomes; null when they agree. It compares only what was
 * recorded.
 */
export function findDifference(judged: JudgedCase, ours: GradedOutcome): unknown {
  const { status, error, logs, catalog, pn } = ours;
  const { outcome } = judged;
  const compared = { status, error, logs, ...(outcome.catalog && { catalog }), ...(outcome.pn && { pn }) };
  const levels = listDisagreements(outcome, compared);
  if (levels.length === 0) return null;
  return { levels, source: judged.source, puppet: outcome, here: compared };
}
