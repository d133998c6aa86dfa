/** The hours of one turn of the ring: in this time, each node is verified once. */
export const RING_HOURS = { usual: 24, least: 1, most: 720 } as const;

/** Hours after which the ring compiles a volatile catalog again: no input makes it out of date. */
export const VOLATILE_HOURS = { usual: 6, least: 1, most: 720 } as const;

/** The variables of the feed function with these hours. */
export const RING_VARIABLE = 'UNDERSTUDY_RING_HOURS';
export const VOLATILE_VARIABLE = 'UNDERSTUDY_VOLATILE_REST_HOURS';

/** Reads the hours from the text of the variable. Throws RangeError that names the variable. */
export function readRingHours(text: string | undefined): number {
  return readHours(RING_VARIABLE, text, RING_HOURS);
}

/** The same for volatile catalogs. */
export function readVolatileHours(text: string | undefined): number {
  return readHours(VOLATILE_VARIABLE, text, VOLATILE_HOURS);
}

function readHours(variable: string, text: string | undefined, { usual, least, most }: HourBounds): number {
  const hours = Number(text ?? usual);
  if (Number.isInteger(hours) && hours >= least && hours <= most) return hours;
  throw new RangeError(`${variable} must be a whole number from ${least} to ${most}, not '${text}'`);
}

interface HourBounds {
  readonly usual: number;
  readonly least: number;
  readonly most: number;
}
