import { isJsonObject } from '../../../util/json-object.ts';
import { BODIES } from '../../body/body-kinds.ts';
import type { HttpContext } from '../../endpoint.ts';
import { plainRefusal } from '../../exchange/answers.ts';
import { isNotJson, readJsonValue } from '../../exchange/request-body.ts';

/** Reads the request body as a JSON object. Refuses (400) in Puppet Server's words. */
export async function readObject(context: HttpContext): Promise<Readonly<Record<string, unknown>>> {
  const parsed = await readJsonValue(context, BODIES.certnames).catch((error: unknown) => {
    if (!isNotJson(error)) throw error;
  });
  if (isJsonObject(parsed)) return parsed;
  throw plainRefusal(400, 'Request body is not JSON.', 'text/plain');
}

/** The body's `certnames`; `purpose` completes the error message that demands them. */
export function certnamesOf(body: Readonly<Record<string, unknown>>, purpose: string): readonly string[] {
  if (body.async === true) throw plainRefusal(400, 'Async mode is not currently supported.', 'text/plain');
  const { certnames } = body;
  if (Array.isArray(certnames) && certnames.every((one) => typeof one === 'string')) return certnames;
  const message = `Missing required key: 'certnames'. Please supply the list of certs you want to ${purpose}.`;
  throw plainRefusal(400, message, 'text/plain');
}
