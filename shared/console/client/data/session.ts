import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { callApi } from './api-client.ts';

export interface SessionPermission {
  readonly object_type: string;
  readonly action: string;
  readonly instance: string;
}

/** The answer of `GET /console/session`. */
export interface ConsoleSession {
  readonly user: { readonly login: string; readonly display_name: string; readonly id: string };
  readonly permissions: readonly SessionPermission[];
  readonly expires: string | number | null;
}

const ADDRESS = '/console/session';

/** Reads the session of the cookie. Throws ApiFault. */
export async function readSession(): Promise<ConsoleSession> {
  return (await callApi(ADDRESS)).data as ConsoleSession;
}

/** Logs in. Throws ApiFault, with kind `unauthenticated` for a wrong password. */
export async function logIn(login: string, password: string): Promise<ConsoleSession> {
  return (await callApi(ADDRESS, { method: 'POST', body: { login, password } })).data as ConsoleSession;
}

/** Ends the session on the server. Throws ApiFault. */
export async function logOut(): Promise<void> {
  await callApi(ADDRESS, { method: 'DELETE' });
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
