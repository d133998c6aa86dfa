/** PostgreSQL's error with its hint, in the form in which PuppetDB's driver gives it. */
export function describePostgresError(error: unknown): { readonly message: string; readonly code: string } {
  if (!(error instanceof Error)) return { message: String(error), code: '' };
  const { code, hint } = error as { code?: unknown; hint?: unknown };
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return { message: error.message, code: '' };
  const advice = typeof hint === 'string' ? `\n  Hint: ${hint}` : '';
  return { message: `ERROR: ${error.message}${advice}`, code };
}
