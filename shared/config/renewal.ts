/** The least number of hours between two renewals of a node's certificate. 0: no bound. */
export const RENEWAL_HOURS = { usual: 24, least: 0, most: 8760 } as const;
