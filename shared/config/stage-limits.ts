/** The most canaries of a stage: they are part of the environment's record. */
export const MOST_STAGE_CANARIES = 1000;

/** Time that canaries have to run. */
export const STAGE_MINUTES = { least: 1, usual: 60, most: 7 * 24 * 60 } as const;

/** Possible actions when canaries are good, worse or late, the usual first. */
export const STAGE_ENDS = {
  whenGood: ['promote', 'hold'],
  whenWorse: ['hold', 'abort'],
  whenLate: ['hold', 'promote', 'abort'],
} as const;
