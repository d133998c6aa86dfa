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
