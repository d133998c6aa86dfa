/** The least number of hours between two renewals of a node's certificate. 0: no bound. */
export const RENEWAL_HOURS = { usual: 24, least: 0, most: 8760 } as const;

/** Reads the hours from a deployment's variable. Throws RangeError that names the variable. */
export function readRenewalHours(text: string | undefined, variable: string): number {
  const { usual, least, most } = RENEWAL_HOURS;
  const hours = text === undefined || text === '' ? usual : Number(text);
  if (Number.isInteger(hours) && hours >= least && hours <= most) return hours;
  throw new RangeError(`${variable} must be a whole number from ${least} to ${most}, not '${text}'`);
}
