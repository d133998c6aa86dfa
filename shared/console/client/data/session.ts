import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ApiSchema } from '../../../api/described-answers.ts';
import { callApi, noteBeginOfSession } from './api-client.ts';

export type ConsoleSession = ApiSchema<'Session'>;
export type SessionPermission = ConsoleSession['permissions'][number];

const ADDRESS = '/console/session';

/** Reads the session of the cookie. Throws ApiFault. */
export async function readSession(): Promise<ConsoleSession> {
  return (await callApi(ADDRESS)).data;
}

/** Logs in. Throws ApiFault, with kind `unauthenticated` for a wrong password. */
export async function logIn(login: string, password: string): Promise<ConsoleSession> {
  const { data } = await callApi(ADDRESS, { method: 'POST', body: { login, password } });
  noteBeginOfSession();
  return data;
}

/**
 * Ends the session on the server. Returns the address where it ends at the identity provider; null
 * when there is nothing to end. Throws ApiFault.
 */
export async function logOut(): Promise<string | null> {
  const { data } = await callApi(ADDRESS, { method: 'DELETE' });
  return data?.log_out_url ?? null;
}

/** The name of the identity provider whose users can log in; null without one. Throws ApiFault. */
export async function readProviderName(): Promise<string | null> {
  return (await callApi('/console/log-ins')).data.saml?.display_name ?? null;
}

/** Whether the permissions cover an action; `*` for all instances. */
export function isPermitted(
  permissions: readonly SessionPermission[],
  type: string,
  action: string,
  instance: string | null = null,
): boolean {
  const covers = (had: string, wanted: string) => had === '*' || had === wanted;
  return permissions.some(
    (one) =>
      covers(one.object_type, type) &&
      covers(one.action, action) &&
      (instance === null || covers(one.instance, instance)),
  );
}

export const SessionContext = createContext<ConsoleSession | null>(null);

/** Whether the user of the page may do something: to any instance, or to this one. */
export function usePermission(type: string, action: string, instance: string | null = null): boolean {
  const session = useContext(SessionContext);
  return session !== null && isPermitted(session.permissions, type, action, instance);
}
