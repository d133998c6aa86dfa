/**
 * Makes the id of a message: a UUID of version 4. `random` is uniform in [0, 1). An id has to be
 * unique, not secret.
 */
export function makeMessageId(random: () => number): string {
  const digits = (count: number): string =>
    Math.floor(random() * 16 ** count)
      .toString(16)
      .padStart(count, '0');
  const variant = '89ab'[Math.floor(random() * 4)];
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${variant}${digits(3)}-${digits(12)}`;
}
