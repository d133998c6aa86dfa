import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Node } from 'constructs';
import { COMPILE_LIMITS } from '../shared/config/compile-limit.ts';
import { EXPORT_SECONDS } from '../shared/config/export-settings.ts';
import { RENEWAL_HOURS } from '../shared/config/renewal.ts';
import { RETENTION, type RetentionName, type RetentionOptions } from '../shared/config/retention.ts';
import { RING_HOURS } from '../shared/config/ring.ts';

/**
 * The settings in `cdk.json` (or `-c`), under `understudy:settings`; README.md of this folder
 * describes each.
 */
export interface OperatorContext {
  /** The first of the edge's names by default. */
  readonly serverName?: string;
  readonly compileTimeLimit: number;
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
  /** Hours between two renewals of a node's certificate. */
  readonly renewalHours: number;
  /** Absolute paths of files. */
  readonly authConf?: string;
  readonly trustedOidMapping?: string;
  readonly upstream?: UpstreamContext;
  readonly retention: RetentionOptions;
  /** Hours of one turn of the ring: each node is verified once in this time. */
  readonly ringTurn: number;
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

const KEY = 'understudy:settings';
const VARIABLE = /^[A-Za-z_]\w*$/;

type Given = Readonly<Record<string, unknown>>;

/** Reads and checks the context. Throws an Error that names what is wrong. */
export function operatorContext(node: Node): OperatorContext {
  const reader = new SettingsReader(record(node.tryGetContext(KEY), ''), '');
  const { delay } = EXPORT_SECONDS;
  const context: OperatorContext = {
    ...reader.readOptional('serverName', readText),
    compileTimeLimit: reader.readNumber(
      'compileTimeLimit',
      1,
      COMPILE_LIMITS.inLambda.most,
      COMPILE_LIMITS.inLambda.usual,
    ),
    eyamlKeys: readSecrets(reader.take('eyamlKeys')),
    waitingConcurrency: reader.readNumber('waitingConcurrency', 2, 1000, 100),
    expressConcurrency: reader.readNumber('expressConcurrency', 2, 1000, 100),
    backgroundConcurrency: reader.readNumber('backgroundConcurrency', 2, 1000, 20),
    containers: readContainers(reader.take('containers')),
    ...reader.readOptional('authorityName', readText),
    autosign: readAutosign(reader.take('autosign')),
    allowSubjectAltNames: reader.readFlag('allowSubjectAltNames'),
    allowAuthorizationExtensions: reader.readFlag('allowAuthorizationExtensions'),
    renewalHours: reader.readNumber('renewalHours', RENEWAL_HOURS.least, RENEWAL_HOURS.most, RENEWAL_HOURS.usual),
    ...reader.readOptional('authConf', readFile),
    ...reader.readOptional('trustedOidMapping', readFile),
    ...reader.readOptional('upstream', readUpstream),
    retention: readRetentionOptions(reader.take('retention')),
    exportDelay: reader.readNumber('exportDelay', delay.least, delay.most, delay.usual),
    ...reader.readOptional('exportInterval', readInterval),
    ringTurn: reader.readNumber('ringTurn', RING_HOURS.least, RING_HOURS.most, RING_HOURS.usual),
  };
  reader.assertAllRead();
  return context;
}

/** Takes settings out of a map one by one. A setting that is left at the end is unknown. */
class SettingsReader {
  readonly #given: Map<string, unknown>;
  readonly #place: string;

  constructor(given: Given, place: string) {
    this.#given = new Map(Object.entries(given));
    this.#place = place;
  }

  take(name: string): unknown {
    const value = this.#given.get(name);
    this.#given.delete(name);
    return value;
  }

  readOptional<const N extends string, T>(
    name: N,
    read: (value: unknown, name: string) => T,
  ): { readonly [K in N]?: T } {
    const value = this.take(name);
    // The key is the name that was asked for.
    return (value === undefined ? {} : { [name]: read(value, this.#place + name) }) as { readonly [K in N]?: T };
  }

  readNumber(name: string, least: number, most: number, usual: number): number {
    const value = this.take(name) ?? usual;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw invalidSetting(this.#place + name, `must be a whole number from ${least} to ${most}`);
  }

  readFlag(name: string): boolean {
    const value = this.take(name) ?? false;
    if (typeof value === 'boolean') return value;
    throw invalidSetting(this.#place + name, 'must be true or false');
  }

  assertAllRead(): void {
    const [other] = this.#given.keys();
    if (other !== undefined) throw invalidSetting(this.#place + other, 'is not a setting');
  }
}

function readContainers(value: unknown): OperatorContext['containers'] {
  const reader = new SettingsReader(record(value, 'containers'), 'containers.');
  const min = reader.readNumber('min', 1, 1000, 2);
  const max = reader.readNumber('max', min, 1000, Math.max(min, 20));
  reader.assertAllRead();
  return { min, max };
}

function readRetentionOptions(value: unknown): RetentionOptions {
  const reader = new SettingsReader(record(value, 'retention'), 'retention.');
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

function readUpstream(value: unknown, name: string): UpstreamContext {
  const reader = new SettingsReader(record(value, name), `${name}.`);
  const url = readText(reader.take('url'), `${name}.url`);
  if (!/^https:\/\/[^/]+$/.test(url)) throw invalidSetting(`${name}.url`, 'must be https://HOST:PORT');
  const read: UpstreamContext = {
    url,
    certificate: readFile(reader.take('certificate'), `${name}.certificate`),
    trusted: readFile(reader.take('trusted'), `${name}.trusted`),
    keySecret: readText(reader.take('keySecret'), `${name}.keySecret`),
  };
  reader.assertAllRead();
  return read;
}

function readAutosign(value: unknown = false): OperatorContext['autosign'] {
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value) && value.every((line) => typeof line === 'string')) return value;
  throw invalidSetting('autosign', 'must be true, false or a list of certnames and patterns');
}

function readSecrets(value: unknown): OperatorContext['eyamlKeys'] {
  const entries = Object.entries(record(value, 'eyamlKeys'));
  const bad = entries.find(([name]) => !VARIABLE.test(name) || name.startsWith('UNDERSTUDY_'));
  if (bad) throw invalidSetting(`eyamlKeys.${bad[0]}`, 'is not a valid variable name');
  return Object.fromEntries(entries.map(([name, secret]) => [name, readText(secret, `eyamlKeys.${name}`)]));
}

function readInterval(value: unknown, name: string): number {
  const { least, most } = EXPORT_SECONDS.interval;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalidSetting(name, `must be a whole number from ${least} to ${most}`);
}

function readText(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalidSetting(name, 'must be a non-empty string');
}

/** Resolves a path relative to the folder of `cdk.json`, where the CLI runs. */
function readFile(value: unknown, name: string): string {
  const path = resolve(readText(value, name));
  if (existsSync(path)) return path;
  throw invalidSetting(name, `is not a file: ${path}`);
}

/** Reads a map. `-c` passes JSON as text. */
function record(value: unknown, name: string): Given {
  if (value === undefined) return {};
  const read: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  if (typeof read === 'object' && read !== null && !Array.isArray(read)) return { ...read };
  throw invalidSetting(name, 'must be an object');
}

function invalidSetting(name: string, what: string): Error {
  return new Error(`Context ${KEY}: ${name === '' ? 'it' : `'${name}'`} ${what}`);
}
