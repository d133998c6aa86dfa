/** The hours of one turn of the ring: in this time, each node is verified once. */
export const RING_HOURS = { usual: 24, least: 1, most: 720 } as const;

/** The variable of the feed function with these hours. */
export const RING_VARIABLE = 'UNDERSTUDY_RING_HOURS';

/** Reads the hours from the text of the variable. Throws RangeError that names the variable. */
export function readRingHours(text: string | undefined): number {
  const { usual, least, most } = RING_HOURS;
  const hours = Number(text ?? usual);
  if (Number.isInteger(hours) && hours >= least && hours <= most) return hours;
  throw new RangeError(`${RING_VARIABLE} must be a whole number from ${least} to ${most}, not '${text}'`);
}
