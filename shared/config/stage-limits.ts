/**
 * Maximum of canaries, the nodes that get the code of a staged deploy first: their names are part
 * of the environment's record.
 */
export const MOST_STAGE_CANARIES = 1000;

/** Minutes that the canaries have to run with the code. */
export const STAGE_MINUTES = { least: 1, usual: 60, most: 7 * 24 * 60 } as const;

/**
 * Possible actions, the default first: when all canaries ran well, when one ran worse than before,
 * and when the time is over.
 */
export const STAGE_ENDS = {
  whenGood: ['promote', 'hold'],
  whenWorse: ['hold', 'abort'],
  whenLate: ['hold', 'promote', 'abort'],
} as const;
