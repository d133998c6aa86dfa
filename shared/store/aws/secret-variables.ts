import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SECRET_VALUE } from '../../config/deployment.ts';
import type { Clock } from '../ports/clock.ts';
import { StoreRefused } from '../ports/store-errors.ts';
import { systemClock } from '../system-clock.ts';
import { callSdk } from './errors.ts';
import type { AwsNames } from './stores.ts';

/** A secret by its name or ARN, and the field of it that is meant; null: all of its text. */
interface SecretName {
  readonly id: string;
  readonly field: string | null;
}

/** Age in milliseconds from which secrets are read again: a rotation takes effect within it. */
const KEPT_MS = 15 * 60_000;

type Values = Readonly<Record<string, string>>;

/**
 * Environment variables of a function whose values are secrets of Secrets Manager (`SECRET_VALUE`).
 * A function has 4 KB of variables, and a deploy does not notice a changed secret: functions read
 * them by themselves.
 */
export class SecretVariables {
  readonly #names: ReadonlyMap<string, SecretName>;
  readonly #plain: Values;
  readonly #clock: Pick<Clock, 'now'>;
  #client: SecretsManagerClient | null;
  #read: { readonly at: number; readonly values: Values } | null = null;
  #reading: Promise<Values> | null = null;

  /** `names`: those of the variables that may be secrets. */
  constructor(
    variables: AwsNames,
    names: readonly string[],
    clock: Pick<Clock, 'now'> = systemClock,
    client: SecretsManagerClient | null = null,
  ) {
    const given = names.flatMap((name) => {
      const value = variables[name];
      return value === undefined ? [] : [{ name, value, secret: parseSecretName(value) }];
    });
    this.#names = new Map(given.flatMap(({ name, secret }) => (secret === null ? [] : [[name, secret]])));
    const plain = given.flatMap(({ name, value, secret }) => (secret === null ? [[name, value]] : []));
    this.#plain = Object.fromEntries(plain);
    this.#clock = clock;
    this.#client = client;
  }

  /**
   * The values of the variables that are set: the same object until a secret of them changes. What
   * was read before is kept while Secrets Manager does not answer. Throws StoreUnavailable and
   * StoreRefused.
   */
  async read(): Promise<Values> {
    if (this.#read !== null && this.#clock.now() - this.#read.at < KEPT_MS) return this.#read.values;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readAll(): Promise<Values> {
    const before = this.#read?.values ?? null;
    const values = await this.#readValues(before);
    this.#read = { at: this.#clock.now(), values };
    return values;
  }

  async #readValues(before: Values | null): Promise<Values> {
    try {
      const entries = await Promise.all(
        [...this.#names].map(async ([name, secret]) => [name, await this.#readOne(name, secret)] as const),
      );
      const isSame = before !== null && entries.every(([name, value]) => before[name] === value);
      return isSame ? before : { ...this.#plain, ...Object.fromEntries(entries) };
    } catch (error) {
      if (before === null) throw error;
      console.error('Secrets could not be read again; the former ones are used', error);
      return before;
    }
  }

  async #readOne(variable: string, { id, field }: SecretName): Promise<string> {
    this.#client ??= new SecretsManagerClient({});
    const client = this.#client;
    const command = new GetSecretValueCommand({ SecretId: id });
    const { SecretString: text } = await callSdk(`the secret ${id} of ${variable}`, () => client.send(command));
    if (text === undefined) throw new StoreRefused(`the secret ${id} of ${variable} is no text`);
    if (field === null) return text;
    const value: unknown = parseFields(text)[field];
    if (typeof value !== 'string') throw new StoreRefused(`the secret ${id} of ${variable} has no text '${field}'`);
    return value;
  }
}

function parseFields(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function parseSecretName(value: string): SecretName | null {
  if (!value.startsWith(SECRET_VALUE)) return null;
  const [id = '', field = null] = value.slice(SECRET_VALUE.length).split('#');
  return { id, field };
}
