import type { HttpContext } from './endpoint.ts';
import type { HttpServices } from './services.ts';

/** Adds a line to the audit log for a change that the request made; nothing without that log. */
export function auditChange(
  { env }: HttpContext,
  { log, clock }: Pick<HttpServices, 'log' | 'clock'>,
  subject: string,
): void {
  const login = env.user ?? env.peer?.certname ?? null;
  const time = new Date(clock.now()).toISOString();
  log.audit?.({ kind: 'access', time, event: 'change', login, outcome: 'granted', subject });
}
