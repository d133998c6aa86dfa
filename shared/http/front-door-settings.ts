import { isListed, type SigningPolicy } from '../ca/signing-policy.ts';
import { NO_TRUSTED_NAMES, readTrustedOidMapping, type TrustedNames } from '../ca/trusted-oid-mapping.ts';
import { FRONT_DOOR_VARIABLES as NAMES } from '../config/front-doors.ts';
import { type KeyVault, StoreRefused } from '../store/ports.ts';
import { Authorization } from './authorization/authorization.ts';
import type { FrontDoorOptions } from './front-door.ts';

type Settings = Pick<
  FrontDoorOptions,
  'authorityName' | 'autosign' | 'authority' | 'authorization' | 'upstream' | 'settings'
>;

/** What a deployment's environment variables say of certificates and rules. Throws InvalidAuthorization and StoreRefused. */
export function frontDoorSettings(
  variables: Readonly<Record<string, string | undefined>>,
  keys: { readonly vault?: KeyVault },
): Settings {
  const trustedNames = trustedNamesOf(variables[NAMES.trustedOidMapping] ?? '');
  const rules = variables[NAMES.authorization] ?? '';
  return {
    authorityName: variables[NAMES.authorityName] ?? 'understudy',
    autosign: autosignOf(variables[NAMES.autosign] ?? ''),
    authority: {
      ...keys,
      allowSubjectAltNames: variables[NAMES.allowSubjectAltNames] === 'true',
      allowAuthorizationExtensions: variables[NAMES.allowAuthorizationExtensions] === 'true',
    },
    ...upstreamOf(variables),
    settings: { trustedNames },
    ...(rules === '' ? {} : { authorization: Authorization.read(rules, NAMES.authorization, trustedNames) }),
  };
}

function trustedNamesOf(mapping: string): TrustedNames {
  return mapping === '' ? NO_TRUSTED_NAMES : readTrustedOidMapping(mapping, NAMES.trustedOidMapping);
}

/** All four variables or none. */
function upstreamOf(variables: Readonly<Record<string, string | undefined>>): Pick<FrontDoorOptions, 'upstream'> {
  const url = variables[NAMES.upstream] ?? '';
  if (url === '') return {};
  const value = (name: 'certificate' | 'certificateKey' | 'trusted') => {
    const text = variables[NAMES[name]] ?? '';
    if (text === '') throw new StoreRefused(`${NAMES.upstream} is set, and ${NAMES[name]} is not`);
    return text;
  };
  return {
    upstream: { url, certificate: value('certificate'), key: value('certificateKey'), trusted: value('trusted') },
  };
}

function autosignOf(text: string): boolean | SigningPolicy['autosign'] {
  if (text === 'true') return true;
  const lines = text.replaceAll(',', '\n');
  return async (certname) => isListed(lines, certname);
}
