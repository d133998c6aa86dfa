import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Node } from 'constructs';
import { COMPILE_LIMITS } from '../shared/config/compile-limit.ts';
import { RENEWAL_HOURS } from '../shared/config/renewal.ts';
import { RETENTION, type RetentionName, type RetentionOptions } from '../shared/config/retention.ts';

/** What `cdk.json` (or `-c`) says under `understudy:settings`; README.md of this folder describes each. */
export interface OperatorContext {
  /** Absent: the first of the edge's names. */
  readonly serverName?: string;
  readonly compileTimeLimit: number;
  /** By variable that a hiera.yaml names: the secret in Secrets Manager that holds the key. */
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
  /** Between two renewals of a node's certificate. */
  readonly renewalHours: number;
  /** Absolute paths of files. */
  readonly authConf?: string;
  readonly trustedOidMapping?: string;
  readonly upstream?: UpstreamContext;
  readonly retention: RetentionOptions;
}

/** The Puppet Server that has the CA. */
export interface UpstreamContext {
  readonly url: string;
  /** Absolute paths of PEM files: our certificate, and the CA's. */
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
  const context: OperatorContext = {
    ...reader.optional('serverName', text),
    compileTimeLimit: reader.number('compileTimeLimit', 1, COMPILE_LIMITS.inLambda.most, COMPILE_LIMITS.inLambda.usual),
    eyamlKeys: secrets(reader.take('eyamlKeys')),
    waitingConcurrency: reader.number('waitingConcurrency', 2, 1000, 100),
    expressConcurrency: reader.number('expressConcurrency', 2, 1000, 100),
    backgroundConcurrency: reader.number('backgroundConcurrency', 2, 1000, 20),
    containers: containers(reader.take('containers')),
    ...reader.optional('authorityName', text),
    autosign: autosign(reader.take('autosign')),
    allowSubjectAltNames: reader.flag('allowSubjectAltNames'),
    allowAuthorizationExtensions: reader.flag('allowAuthorizationExtensions'),
    renewalHours: reader.number('renewalHours', RENEWAL_HOURS.least, RENEWAL_HOURS.most, RENEWAL_HOURS.usual),
    ...reader.optional('authConf', file),
    ...reader.optional('trustedOidMapping', file),
    ...reader.optional('upstream', upstream),
    retention: retention(reader.take('retention')),
  };
  reader.end();
  return context;
}

/** Takes settings out of a map one by one; what is left at the end is a mistake. */
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

  optional<const N extends string, T>(name: N, read: (value: unknown, name: string) => T): { readonly [K in N]?: T } {
    const value = this.take(name);
    // The key is the very name that was asked for.
    return (value === undefined ? {} : { [name]: read(value, this.#place + name) }) as { readonly [K in N]?: T };
  }

  number(name: string, least: number, most: number, usual: number): number {
    const value = this.take(name) ?? usual;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw refused(this.#place + name, `must be a whole number from ${least} to ${most}`);
  }

  flag(name: string): boolean {
    const value = this.take(name) ?? false;
    if (typeof value === 'boolean') return value;
    throw refused(this.#place + name, 'must be true or false');
  }

  end(): void {
    const [other] = this.#given.keys();
    if (other !== undefined) throw refused(this.#place + other, 'is no setting');
  }
}

function containers(value: unknown): OperatorContext['containers'] {
  const reader = new SettingsReader(record(value, 'containers'), 'containers.');
  const min = reader.number('min', 1, 1000, 2);
  const max = reader.number('max', min, 1000, Math.max(min, 20));
  reader.end();
  return { min, max };
}

function retention(value: unknown): RetentionOptions {
  const reader = new SettingsReader(record(value, 'retention'), 'retention.');
  const number = (name: RetentionName) =>
    reader.number(name, RETENTION[name].least, RETENTION[name].most, RETENTION[name].usual);
  const read = {
    historyKept: number('historyKept'),
    codeDays: number('codeDays'),
    reportDays: number('reportDays'),
    bucketDays: number('bucketDays'),
  };
  reader.end();
  return read;
}

function upstream(value: unknown, name: string): UpstreamContext {
  const reader = new SettingsReader(record(value, name), `${name}.`);
  const url = text(reader.take('url'), `${name}.url`);
  if (!/^https:\/\/[^/]+$/.test(url)) throw refused(`${name}.url`, 'must be https://HOST:PORT');
  const read: UpstreamContext = {
    url,
    certificate: file(reader.take('certificate'), `${name}.certificate`),
    trusted: file(reader.take('trusted'), `${name}.trusted`),
    keySecret: text(reader.take('keySecret'), `${name}.keySecret`),
  };
  reader.end();
  return read;
}

function autosign(value: unknown = false): OperatorContext['autosign'] {
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value) && value.every((line) => typeof line === 'string')) return value;
  throw refused('autosign', 'must be true, false or a list of certnames and patterns');
}

function secrets(value: unknown): OperatorContext['eyamlKeys'] {
  const entries = Object.entries(record(value, 'eyamlKeys'));
  const bad = entries.find(([name]) => !VARIABLE.test(name) || name.startsWith('UNDERSTUDY_'));
  if (bad) throw refused(`eyamlKeys.${bad[0]}`, 'is no name for a variable');
  return Object.fromEntries(entries.map(([name, secret]) => [name, text(secret, `eyamlKeys.${name}`)]));
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw refused(name, 'must be a text');
}

/** Relative to the folder of `cdk.json`, where the CLI runs. */
function file(value: unknown, name: string): string {
  const path = resolve(text(value, name));
  if (existsSync(path)) return path;
  throw refused(name, `names no file: ${path}`);
}

/** `-c` hands JSON over as text. */
function record(value: unknown, name: string): Given {
  if (value === undefined) return {};
  const read: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  if (typeof read === 'object' && read !== null && !Array.isArray(read)) return { ...read };
  throw refused(name, 'must be a map');
}

function refused(name: string, what: string): Error {
  return new Error(`Context ${KEY}: ${name === '' ? 'it' : `'${name}'`} ${what}`);
}
