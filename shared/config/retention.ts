/** Retention settings: the default, the least and the largest value of each. */
export const RETENTION = {
  /** Earlier states of an environment that a rollback can return to. */
  historyKept: { usual: 50, least: 1, most: 50 },
  /** Days that unneeded code is kept: an agent may still have a catalog that names it. */
  codeDays: { usual: 14, least: 1, most: 3650 },
  reportDays: { usual: 30, least: 1, most: 3650 },
  /** An agent uploads a file again if it last did so more than a month ago. */
  bucketDays: { usual: 365, least: 60, most: 3650 },
} as const;

/** Days that jobs of the orchestrator are kept. */
export const JOB_DAYS = { usual: 30, least: 2, most: 3650 } as const;

export type RetentionName = keyof typeof RETENTION;

/** A number of states, or of days, for each setting. */
export type RetentionOptions = Readonly<Record<RetentionName, number>>;

export const RETENTION_NAMES: readonly RetentionName[] = ['historyKept', 'codeDays', 'reportDays', 'bucketDays'];

/** The variable of the prune function for each setting. */
export const RETENTION_VARIABLES: Readonly<Record<RetentionName, string>> = {
  historyKept: 'UNDERSTUDY_HISTORY_KEPT',
  codeDays: 'UNDERSTUDY_CODE_DAYS',
  reportDays: 'UNDERSTUDY_REPORT_DAYS',
  bucketDays: 'UNDERSTUDY_BUCKET_DAYS',
};

/**
 * Reads the settings from a deployment's variables with `value`. Throws RangeError that names a
 * variable.
 */
export function readRetention(value: (variable: string) => string | undefined): RetentionOptions {
  const read = (name: RetentionName) => readRetentionSetting(name, value(RETENTION_VARIABLES[name]));
  return {
    historyKept: read('historyKept'),
    codeDays: read('codeDays'),
    reportDays: read('reportDays'),
    bucketDays: read('bucketDays'),
  };
}

/**
 * Reads one setting from the text of its variable; undefined means the usual value. Throws
 * RangeError that names the variable.
 */
export function readRetentionSetting(name: RetentionName, text: string | undefined): number {
  const { usual, least, most } = RETENTION[name];
  const given = text ?? String(usual);
  if (/^\d+$/.test(given) && Number(given) >= least && Number(given) <= most) return Number(given);
  throw new RangeError(`${RETENTION_VARIABLES[name]} must be a whole number from ${least} to ${most}, not '${given}'`);
}
