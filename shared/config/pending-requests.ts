/**
 * Most certificate requests that wait for a signature. Anyone may send one, of at most 64 KB. The
 * usual number is that of a large fleet whose nodes all wait, and takes 20 MB of 2 KB each.
 */
export const PENDING_REQUESTS = { usual: 10_000, least: 1, most: 1_000_000 } as const;
