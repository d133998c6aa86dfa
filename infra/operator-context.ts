import type { Node } from 'constructs';
import { COMPILE_LIMITS } from '../shared/config/compile-limit.ts';
import { EXPORT_SECONDS } from '../shared/config/export-settings.ts';
import { LANGUAGE_LEVELS, parseLanguageLevel } from '../shared/config/language-level.ts';
import { PENDING_REQUESTS } from '../shared/config/pending-requests.ts';
import { RENEWAL_HOURS } from '../shared/config/renewal.ts';
import { RETENTION, type RetentionName, type RetentionOptions } from '../shared/config/retention.ts';
import { RING_HOURS, VOLATILE_HOURS } from '../shared/config/ring.ts';
import { SIZES } from '../shared/config/sizes.ts';
import { DEFAULT_STRICTNESS, STRICT_LEVELS, type Strictness } from '../shared/config/strictness.ts';
import { SettingsReader } from './settings-reader.ts';

/**
 * The settings in `cdk.json` (or `-c`), under `understudy:settings`; README.md of this folder
 * describes each.
 */
export interface OperatorContext {
  /** The first of the edge's names by default. */
  readonly serverName?: string;
  readonly compileTimeLimit: number;
  /** How strictly all code is compiled; a change compiles each node again. */
  readonly strictness: Strictness;
  /** Secrets in Secrets Manager with keys, by the variable that a hiera.yaml names. */
  readonly eyamlKeys: Readonly<Record<string, string>>;
  readonly waitingConcurrency: number;
  readonly expressConcurrency: number;
  readonly backgroundConcurrency: number;
  readonly containers: { readonly min: number; readonly max: number };
  readonly authorityName?: string;
  /** `true`, or certnames and patterns as lines of an autosign.conf. */
  readonly autosign: boolean | readonly string[];
  readonly allowSubjectAltNames: boolean;
  readonly allowAuthorizationExtensions: boolean;
  /** Whether keys may be weak: RSA below 2048 bits, curves below 256 bits, requests with SHA-1. */
  readonly allowWeakKeys: boolean;
  /** Hours between two renewals of a node's certificate. */
  readonly renewalHours: number;
  /** Certnames whose certificates may do everything in the access API. */
  readonly accessAllowList: readonly string[];
  /** Most certificate requests that wait for a signature. */
  readonly maxPendingRequests: number;
  /** Absolute paths of files. */
  readonly authConf?: string;
  readonly trustedOidMapping?: string;
  readonly upstream?: UpstreamContext;
  readonly compilerUpstream?: CompilerUpstreamContext;
  readonly retention: RetentionOptions;
  /** Hours of one turn of the ring: each node is verified once in this time. */
  readonly ringTurn: number;
  /** Hours after which the ring compiles a volatile catalog again. */
  readonly volatileRest: number;
  /** Seconds; see `EXPORT_SECONDS`. */
  readonly exportDelay: number;
  readonly exportInterval?: number;
}

/** The Puppet Server that is the CA. */
export interface UpstreamContext {
  readonly url: string;
  /** Absolute paths of PEM files: our certificate, and the CA's certificates. */
  readonly certificate: string;
  readonly trusted: string;
  /** The secret in Secrets Manager that holds the key of our certificate, PEM. */
  readonly keySecret: string;
}

/** The existing Puppet Server that compiles for nodes whose policy names it. */
export interface CompilerUpstreamContext {
  readonly url: string;
  /** Absolute path of a PEM file: the certificates of its CA; absent: our own CA's. */
  readonly trusted?: string;
}

const KEY = 'understudy:settings';
const VARIABLE = /^[A-Za-z_]\w*$/;

/** Reads and checks the context. Throws an Error that names what is wrong. */
export function operatorContext(node: Node): OperatorContext {
  const reader = new SettingsReader(KEY, node.tryGetContext(KEY));
  const { delay } = EXPORT_SECONDS;
  const context: OperatorContext = {
    ...reader.readOptional('serverName', readText),
    compileTimeLimit: reader.readNumber(
      'compileTimeLimit',
      1,
      COMPILE_LIMITS.inLambda.most,
      COMPILE_LIMITS.inLambda.usual,
    ),
    strictness: readStrictSettings(reader),
    eyamlKeys: readSecrets(reader),
    waitingConcurrency: reader.readNumber('waitingConcurrency', 2, 1000, SIZES.waitingConcurrency),
    expressConcurrency: reader.readNumber('expressConcurrency', 2, 1000, SIZES.expressConcurrency),
    backgroundConcurrency: reader.readNumber('backgroundConcurrency', 2, 1000, SIZES.backgroundConcurrency),
    containers: readContainers(reader.enter('containers')),
    ...reader.readOptional('authorityName', readText),
    autosign: readAutosign(reader),
    allowSubjectAltNames: reader.readFlag('allowSubjectAltNames'),
    allowAuthorizationExtensions: reader.readFlag('allowAuthorizationExtensions'),
    allowWeakKeys: reader.readFlag('allowWeakKeys'),
    renewalHours: reader.readNumber('renewalHours', RENEWAL_HOURS.least, RENEWAL_HOURS.most, RENEWAL_HOURS.usual),
    accessAllowList: reader.readTexts('accessAllowList'),
    maxPendingRequests: readPendingRequests(reader),
    ...reader.readOptional('authConf', readFile),
    ...reader.readOptional('trustedOidMapping', readFile),
    ...reader.readOptional('upstream', readUpstream),
    ...reader.readOptional('compilerUpstream', readCompilerUpstream),
    retention: readRetentionOptions(reader.enter('retention')),
    exportDelay: reader.readNumber('exportDelay', delay.least, delay.most, delay.usual),
    ...reader.readOptional('exportInterval', readInterval),
    ringTurn: reader.readNumber('ringTurn', RING_HOURS.least, RING_HOURS.most, RING_HOURS.usual),
    volatileRest: reader.readNumber('volatileRest', VOLATILE_HOURS.least, VOLATILE_HOURS.most, VOLATILE_HOURS.usual),
  };
  reader.assertAllRead();
  return context;
}

function readStrictSettings(reader: SettingsReader): Strictness {
  const value = reader.take('strict') ?? DEFAULT_STRICTNESS.strict;
  const strict = STRICT_LEVELS.find((level) => level === value);
  if (strict === undefined) throw reader.invalid('strict', `must be one of ${STRICT_LEVELS.join(', ')}`);
  const language = parseLanguageLevel(reader.take('language') ?? DEFAULT_STRICTNESS.language);
  if (language === null) throw reader.invalid('language', `must be one of ${LANGUAGE_LEVELS.join(', ')}`);
  return { language, strict, strictVariables: reader.readFlag('strictVariables', DEFAULT_STRICTNESS.strictVariables) };
}

function readPendingRequests(reader: SettingsReader): number {
  const { least, most, usual } = PENDING_REQUESTS;
  return reader.readNumber('maxPendingRequests', least, most, usual);
}

function readContainers(reader: SettingsReader): OperatorContext['containers'] {
  const min = reader.readNumber('min', 1, 1000, SIZES.containers.min);
  const max = reader.readNumber('max', min, 1000, Math.max(min, SIZES.containers.max));
  reader.assertAllRead();
  return { min, max };
}

function readRetentionOptions(reader: SettingsReader): RetentionOptions {
  const number = (name: RetentionName) =>
    reader.readNumber(name, RETENTION[name].least, RETENTION[name].most, RETENTION[name].usual);
  const read = {
    historyKept: number('historyKept'),
    codeDays: number('codeDays'),
    reportDays: number('reportDays'),
    bucketDays: number('bucketDays'),
  };
  reader.assertAllRead();
  return read;
}

function readUpstream(settings: SettingsReader, name: string): UpstreamContext {
  const reader = settings.enter(name);
  const read: UpstreamContext = {
    url: reader.readForm('url', /^https:\/\/[^/]+$/, 'https://HOST:PORT'),
    certificate: reader.readFile('certificate'),
    trusted: reader.readFile('trusted'),
    keySecret: reader.readText('keySecret'),
  };
  reader.assertAllRead();
  return read;
}

function readCompilerUpstream(settings: SettingsReader, name: string): CompilerUpstreamContext {
  const reader = settings.enter(name);
  const url = reader.readForm('url', /^https:\/\/[^/]+$/, 'https://HOST:PORT');
  const read: CompilerUpstreamContext = { url, ...reader.readOptional('trusted', readFile) };
  reader.assertAllRead();
  return read;
}

function readAutosign(reader: SettingsReader): OperatorContext['autosign'] {
  const value = reader.take('autosign') ?? false;
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value) && value.every((line) => typeof line === 'string')) return value;
  throw reader.invalid('autosign', 'must be true, false or a list of certnames and patterns');
}

function readSecrets(reader: SettingsReader): OperatorContext['eyamlKeys'] {
  const secrets = reader.readTextMap('eyamlKeys');
  const bad = Object.keys(secrets).find((name) => !VARIABLE.test(name) || name.startsWith('UNDERSTUDY_'));
  if (bad !== undefined) throw reader.invalid(`eyamlKeys.${bad}`, 'is not a valid variable name');
  return secrets;
}

function readInterval(reader: SettingsReader, name: string): number {
  const { least, most } = EXPORT_SECONDS.interval;
  return reader.readNumber(name, least, most, least);
}

function readText(reader: SettingsReader, name: string): string {
  return reader.readText(name);
}

function readFile(reader: SettingsReader, name: string): string {
  return reader.readFile(name);
}
