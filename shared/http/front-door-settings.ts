import { Authorization } from '../access/authorization/authorization.ts';
import { NO_VAULT } from '../access/ca/authority-record.ts';
import { isListed, type SigningPolicy } from '../access/ca/signing-policy.ts';
import { NO_TRUSTED_NAMES, readTrustedOidMapping, type TrustedNames } from '../access/ca/trusted-oid-mapping.ts';
import { FILE_VALUE, FRONT_DOOR_VARIABLES as NAMES, RECORDS_MS } from '../config/front-doors.ts';
import { readFactKeeping, readSetting, variableOf } from '../config/read-setting.ts';
import type { SettingName } from '../config/settings.ts';
import type { KeyVault } from '../store/ports/secrets.ts';
import { StoreRefused } from '../store/ports/store-errors.ts';
import type { FrontDoorOptions } from './front-door.ts';
import type { KeyHolderSettings } from './open-certificates.ts';

type Settings = Pick<
  FrontDoorOptions,
  'authorityName' | 'autosign' | 'authority' | 'authorization' | 'upstream' | 'settings' | 'keepFacts'
>;

/** Environment variables, and access to what they name. */
interface Deployment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Values of variables that are kept apart from the others. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly vault?: KeyVault;
  /** Reads a file beside the code, which a variable names as `file:NAME`. */
  readonly readText: (name: string) => string;
}

/**
 * Reads the settings for certificates and rules from a deployment's environment variables. Throws
 * InvalidAuthorization, StoreRefused and RangeError.
 */
export function frontDoorSettings(deployment: Deployment): Settings {
  const { variables, vault } = deployment;
  const trustedNames = parseTrustedNames(textOf(deployment, variableOf('trustedOidMapping')));
  const rules = textOf(deployment, variableOf('authConf'));
  const read = <N extends SettingName>(name: N) => readSetting(name, variables);
  return {
    authorityName: variables[NAMES.authorityName] ?? 'understudy',
    autosign: autosignOf(textOf(deployment, NAMES.autosign)),
    authority: {
      ...(vault ? { vault } : {}),
      allowSubjectAltNames: read('allowSubjectAltNames'),
      renewalHours: read('renewalHours'),
      allowAuthorizationExtensions: read('allowAuthorizationExtensions'),
      allowWeakKeys: read('allowWeakKeys'),
      mostPending: read('maxPendingRequests'),
    },
    ...upstreamOf(deployment),
    settings: { language: read('language'), trustedNames, recordsMs: RECORDS_MS, reportDays: read('keepReports') },
    keepFacts: readFactKeeping(variables) ?? undefined,
    ...(rules === '' ? {} : { authorization: Authorization.read(rules, variableOf('authConf'), trustedNames) }),
  };
}

function textOf({ variables, secrets, readText }: Deployment, name: string): string {
  const value = secrets?.[name] ?? variables[name] ?? '';
  return value.startsWith(FILE_VALUE) ? readText(value.slice(FILE_VALUE.length)) : value;
}

function parseTrustedNames(mapping: string): TrustedNames {
  return mapping === '' ? NO_TRUSTED_NAMES : readTrustedOidMapping(mapping, variableOf('trustedOidMapping'));
}

/** Requires all four variables or none. */
function upstreamOf(deployment: Deployment): Pick<FrontDoorOptions, 'upstream'> {
  const url = deployment.variables[NAMES.upstream] ?? '';
  if (url === '') return {};
  const value = (name: 'certificate' | 'certificateKey' | 'trusted') => {
    const text = textOf(deployment, NAMES[name]);
    if (text === '') throw new StoreRefused(`${NAMES.upstream} is set but ${NAMES[name]} is not`);
    return text;
  };
  return {
    upstream: { url, certificate: value('certificate'), key: value('certificateKey'), trusted: value('trusted') },
  };
}

/** The existing Puppet Server that compiles for nodes. We are to it who we are to agents. */
export function compilerUpstreamSettings(deployment: Deployment): Pick<FrontDoorOptions, 'compilerUpstream'> {
  const url = deployment.variables[NAMES.compilerUpstream] ?? '';
  if (url === '') return {};
  const trusted = textOf(deployment, NAMES.compilerUpstreamTrusted);
  const names = edgeNames(deployment.variables);
  return { compilerUpstream: { url, names, ...(trusted === '' ? {} : { trusted }) } };
}

/**
 * Reads the address at which the edge reaches the front door with the CA's key; `vault` opens the
 * key of its certificate. Throws StoreRefused.
 */
export function keyHolderSettings(variables: Deployment['variables'], vault: KeyVault = NO_VAULT): KeyHolderSettings {
  const url = variables[NAMES.keyHolder] ?? '';
  if (url === '') throw new StoreRefused(`${NAMES.keyHolder} is not set`);
  return { url, name: edgeNames(variables)[0], vault };
}

/** The names of the edge, the subject of its certificate first. */
export function edgeNames(variables: Deployment['variables']): readonly [string, ...string[]] {
  const [name = 'puppet', ...others] = (variables[NAMES.edgeNames] ?? 'puppet').split(',');
  return [name, ...others];
}

function autosignOf(text: string): boolean | SigningPolicy['autosign'] {
  if (text === 'true') return true;
  return async (certname) => isListed(text, certname);
}
