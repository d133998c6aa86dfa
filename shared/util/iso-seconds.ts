/** A time, in milliseconds since the epoch, as ISO 8601 in UTC without a fraction. */
export function formatIsoSeconds(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
