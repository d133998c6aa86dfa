import type { Subject } from '../../../access/accounts/access-control.ts';
import type { ActivityAction } from '../../../access/accounts/activity-log.ts';
import { DirectoryRefused } from '../../../access/directory/ldap-settings.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { readRequestObject } from '../../exchange/json-fields.ts';
import { type AccessApi, createAccessRoute, sendNothing } from './access-endpoint.ts';
import { demandDirectoryChange, demandDirectoryEdit } from './directories.ts';

const SAML = '/rbac-api/v1/saml';
type Api = AccessApi & { readonly subject: Subject };

function noteProvider({ access, subject }: Api, action: ActivityAction, message: string): Promise<void> {
  const objects = [{ type: 'directory_server_settings', id: 'saml', name: 'saml' } as const];
  return access.noteChange(subject, { service: 'rbac', action, objects, message });
}

/** The connection to an identity provider. No answer has a private key. */
export const samlEndpoints = [
  createAccessRoute('GET', SAML, async (context, api) => {
    await demandDirectoryEdit(api);
    const settings = await api.access.saml.read();
    if (settings === null) throw new DirectoryRefused('not-found', 'SAML is not configured');
    return sendJson(context, settings);
  }),
  createAccessRoute('PUT', SAML, async (context, api) => {
    await demandDirectoryChange(api);
    const settings = await api.access.saml.put(await readRequestObject(context));
    await noteProvider(api, 'edit', 'identity provider changed');
    return sendJson(context, settings);
  }),
  createAccessRoute('DELETE', SAML, async (_, api) => {
    await demandDirectoryChange(api);
    await api.access.saml.delete();
    await noteProvider(api, 'delete', 'identity provider deleted');
    return sendNothing();
  }),
  createAccessRoute('GET', `${SAML}/meta`, async (context, api) => {
    await demandDirectoryEdit(api);
    return sendJson(context, await api.access.saml.describe());
  }),
];
