import { readFileSync } from 'node:fs';
import { Authorization } from '../access/authorization/authorization.ts';
import { NO_TRUSTED_NAMES, readTrustedOidMapping, type TrustedNames } from '../access/ca/trusted-oid-mapping.ts';
import { autosignOf } from '../cli/commands/autosign.ts';
import { openEncProgram } from '../cli/commands/enc-program.ts';
import { factKeepingOf } from '../config/read-setting.ts';
import type { KeyVault } from '../store/ports/key-vault.ts';
import { StoreRefused } from '../store/ports/store-errors.ts';
import type { Stores } from '../store/ports/stores.ts';
import { accessSettings } from './local-access.ts';
import { hasInventory } from './local-inventory.ts';
import type { LocalLog } from './local-log.ts';
import type { LocalOptions } from './options.ts';

interface SettingsParts {
  readonly stores: Stores;
  readonly vault: KeyVault;
  readonly log: LocalLog;
}

/**
 * Translates the options of the server into those of its front door, and reads the files that they
 * name. Throws StoreRefused that names what cannot be used.
 */
export function readDoorSettings(options: LocalOptions, parts: SettingsParts) {
  const trustedNames = readTrustedNames(options);
  return {
    ...certificateSettings(options, parts),
    ...authorizationOf(options, trustedNames),
    ...accessSettings(options),
    ...(options.enc === undefined ? {} : { external: openEncProgram(options.enc, parts.stores.clock) }),
    settings: {
      language: options.language,
      poolAddress: options.poolAddress ?? null,
      trustedNames,
      reportDays: options.keepReports,
    },
    keepFacts: hasInventory(options) ? factKeepingOf(options) : undefined,
  };
}

function certificateSettings(options: LocalOptions, { log, vault }: SettingsParts) {
  const { autosign, allowSubjectAltNames, allowAuthorizationExtensions, allowWeakKeys, renewalHours } = options;
  const { caKeyType: keyType, maxPendingRequests: mostPending } = options;
  const logFailure = (message: string, cause: unknown) => log.logError(message, cause);
  return {
    autosign: typeof autosign === 'string' ? autosignOf(autosign, logFailure) : autosign,
    authority: {
      vault,
      keyType,
      renewalHours,
      mostPending,
      allowSubjectAltNames,
      allowAuthorizationExtensions,
      allowWeakKeys,
    },
    ...upstreamOf(options),
  };
}

function authorizationOf({ authConf: file }: LocalOptions, names: TrustedNames) {
  return file === undefined ? {} : { authorization: Authorization.read(readFileSync(file, 'utf8'), file, names) };
}

function readTrustedNames({ trustedOidMapping: file }: LocalOptions): TrustedNames {
  return file === undefined ? NO_TRUSTED_NAMES : readTrustedOidMapping(readFileSync(file, 'utf8'), file);
}

function upstreamOf({ caUpstream: url, tlsCertificate, tlsKey, tlsCa }: LocalOptions) {
  if (url === undefined) return {};
  const text = (name: string, file: string | undefined) => {
    if (file === undefined) throw new StoreRefused(`--ca-upstream requires ${name}`);
    return readFileSync(file, 'utf8');
  };
  const [certificate, key] = [text('--tls-certificate', tlsCertificate), text('--tls-key', tlsKey)];
  return { upstream: { url, certificate, key, trusted: text('--tls-ca', tlsCa) } };
}
