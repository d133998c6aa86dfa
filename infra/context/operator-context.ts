import type { Node } from 'constructs';
import type { NameInAws, SettingValues } from '../../shared/config/settings.ts';
import { SIZES } from '../../shared/config/sizes.ts';
import { type ContainerCounts, SettingsReader } from './settings-reader.ts';

/**
 * The settings in `cdk.json` (or `-c`), under `understudy:settings`; README.md of this folder
 * describes those that servers do not have.
 */
export interface OperatorContext extends Pick<SettingValues, NameInAws<'settings'>> {
  /** The first of the edge's names by default. */
  readonly serverName?: string;
  /** Secrets in Secrets Manager with keys, by the variable that a hiera.yaml names. */
  readonly eyamlKeys: Readonly<Record<string, string>>;
  /** The secret in Secrets Manager that holds the address for alerts. */
  readonly alertUrlSecret?: string;
  readonly waitingConcurrency: number;
  readonly expressConcurrency: number;
  readonly backgroundConcurrency: number;
  readonly containers: ContainerCounts;
  readonly authorityName?: string;
  /** `true`, or certnames and patterns as lines of an autosign.conf. */
  readonly autosign: boolean | readonly string[];
  /** Certnames whose certificates may do everything in the access API. */
  readonly accessAllowList: readonly string[];
  readonly upstream?: UpstreamContext;
  readonly compilerUpstream?: CompilerUpstreamContext;
}

/** The Puppet Server that is the CA. */
interface UpstreamContext {
  readonly url: string;
  /** Absolute paths of PEM files: our certificate, and the CA's certificates. */
  readonly certificate: string;
  readonly trusted: string;
  /** The secret in Secrets Manager that holds the key of our certificate, PEM. */
  readonly keySecret: string;
}

/** The existing Puppet Server that compiles for nodes whose policy names it. */
interface CompilerUpstreamContext {
  readonly url: string;
  /** Absolute path of a PEM file: the certificates of its CA; absent: our own CA's. */
  readonly trusted?: string;
}

const KEY = 'understudy:settings';
const VARIABLE = /^[A-Za-z_]\w*$/;

/** Reads and checks the context. Throws an Error that names what is wrong. */
export function operatorContext(node: Node): OperatorContext {
  return new SettingsReader(KEY, node.tryGetContext(KEY)).readAll((reader) => ({
    ...reader.readOptional('serverName', readText),
    eyamlKeys: readSecrets(reader),
    ...readAlertSecret(reader),
    waitingConcurrency: reader.readNumber('waitingConcurrency', 2, 1000, SIZES.waitingConcurrency),
    expressConcurrency: reader.readNumber('expressConcurrency', 2, 1000, SIZES.expressConcurrency),
    backgroundConcurrency: reader.readNumber('backgroundConcurrency', 2, 1000, SIZES.backgroundConcurrency),
    containers: reader.readContainers(SIZES.containers),
    ...reader.readOptional('authorityName', readText),
    autosign: readAutosign(reader),
    accessAllowList: reader.readTexts('accessAllowList'),
    ...reader.readOptionalMap('upstream', readUpstream),
    ...reader.readOptionalMap('compilerUpstream', readCompilerUpstream),
    ...demandAlertUrl(reader, reader.readSection('settings')),
  }));
}

function demandAlertUrl<T extends Pick<OperatorContext, 'alertUrl'>>(reader: SettingsReader, settings: T): T {
  const { alertUrl } = settings;
  if (alertUrl === undefined || (/^https?:\/\//.test(alertUrl) && URL.canParse(alertUrl))) return settings;
  throw reader.invalid('alertUrl', 'must be https://HOST/PATH');
}

function readUpstream(reader: SettingsReader): UpstreamContext {
  return {
    url: reader.readForm('url', /^https:\/\/[^/]+$/, 'https://HOST:PORT'),
    certificate: reader.readFile('certificate'),
    trusted: reader.readFile('trusted'),
    keySecret: reader.readText('keySecret'),
  };
}

function readCompilerUpstream(reader: SettingsReader): CompilerUpstreamContext {
  const url = reader.readForm('url', /^https:\/\/[^/]+$/, 'https://HOST:PORT');
  return { url, ...reader.readOptional('trusted', readFile) };
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

/** An address for alerts is itself a setting, or in a secret. */
function readAlertSecret(reader: SettingsReader): Pick<OperatorContext, 'alertUrlSecret'> {
  const read = reader.readOptional('alertUrlSecret', readText);
  if (read.alertUrlSecret !== undefined && reader.has('alertUrl')) {
    throw reader.invalid('alertUrlSecret', "must not be given together with 'alertUrl'");
  }
  return read;
}

function readText(reader: SettingsReader, name: string): string {
  return reader.readText(name);
}

function readFile(reader: SettingsReader, name: string): string {
  return reader.readFile(name);
}
