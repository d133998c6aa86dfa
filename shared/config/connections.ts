/**
 * Most connections to the front door at a time. The usual number is more than the 8,000 catalog
 * requests that a front door reads, holds and answers at a time. An idle connection takes 36 KB.
 */
export const CONNECTIONS = { usual: 10_000, least: 1, most: 1_000_000 } as const;
