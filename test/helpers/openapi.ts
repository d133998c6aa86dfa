import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parseYaml } from '../../shared/puppet/serialization/yaml.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../shared/puppet/types/values/values.ts';

type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** One method of one path. */
export interface Operation {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  /** With names of parameters in braces. */
  readonly path: string;
  readonly definition: JsonObject;
  /** Whether the front door serves it; others name their servers. */
  readonly isAtFrontDoor: boolean;
  /** Declared for the operation or for its path. */
  readonly parameters: readonly JsonObject[];
}

const FILE = new URL('../../docs/openapi.yaml', import.meta.url);
const METHODS = ['get', 'put', 'post', 'delete'];
const JSON_TYPE = 'application/json';

/** The description of `/understudy/v1` in docs/openapi.yaml. */
export class OpenApi {
  readonly document: JsonObject;
  readonly operations: readonly Operation[];
  readonly #ajv: Ajv2020;

  constructor() {
    this.document = object(plain(parseYaml(readFileSync(FILE, 'utf8')) ?? null));
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    this.#ajv.addSchema(this.document, 'openapi');
    this.operations = Object.entries(object(this.document.paths)).flatMap(([path, item]) =>
      Object.entries(object(item))
        .filter(([key]) => METHODS.includes(key))
        .map(([method, definition]) => this.#operation(path, object(item), method, object(definition))),
    );
  }

  /** Returns the answers of an operation by status, with resolved references. */
  responses(operation: Operation): ReadonlyMap<string, JsonObject> {
    const responses = Object.entries(object(operation.definition.responses));
    return new Map(responses.map(([status, response]) => [status, this.resolve(response)]));
  }

  /**
   * Lists where `body` violates the schema of the answer. An answer without a JSON schema must not
   * be JSON.
   */
  faultsOfAnswer(response: JsonObject, contentType: string | null, body: string): readonly string[] {
    const schema = jsonContent(response)?.schema;
    const isJson = contentType?.startsWith(JSON_TYPE) === true;
    if (schema === undefined) return isJson ? ['is JSON, which is not described'] : [];
    const isText = contentType === null && 'text/plain' in object(response.content);
    if (isText) return [];
    return isJson ? this.faults(schema, JSON.parse(body)) : [`is of type ${contentType}`];
  }

  /** Lists where `value` violates `schema`. */
  faults(schema: Json, value: unknown): readonly string[] {
    const validate: ValidateFunction = this.#ajv.compile(object(inDocument(schema)));
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      return `${instancePath} ${message} ${JSON.stringify(params)}`;
    });
  }

  /**
   * Resolves a reference; returns anything else unchanged. Throws for a reference without target.
   */
  resolve(value: Json | undefined): JsonObject {
    const found = object(value);
    if (typeof found.$ref !== 'string') return found;
    const steps = found.$ref.replace(/^#\//, '').split('/');
    const target = steps.reduce<Json | undefined>((at, step) => object(at)[decodeStep(step)], this.document);
    if (target === undefined) throw new Error(`${found.$ref} leads nowhere`);
    return object(target);
  }

  #operation(path: string, item: JsonObject, method: string, definition: JsonObject): Operation {
    const parameters = [...list(item.parameters), ...list(definition.parameters)].map((one) => this.resolve(one));
    const isAtFrontDoor = definition.servers === undefined;
    const id = String(definition.operationId);
    return { id, method: method.toUpperCase(), path, definition, isAtFrontDoor, parameters };
  }
}

/** Returns the media type `application/json` of a request body or an answer. */
export function jsonContent(body: JsonObject | undefined): JsonObject | undefined {
  const content = body?.content === undefined ? undefined : object(body.content)[JSON_TYPE];
  return content === undefined ? undefined : object(content);
}

export function object(value: Json | undefined): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new Error(`no object: ${JSON.stringify(value)}`);
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Decodes a step of a JSON pointer. */
function decodeStep(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Redirects references to the document that ajv knows as `openapi`. */
function inDocument(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/'));
}

function plain(value: Value): Json {
  if (value instanceof PuppetHash) {
    return Object.fromEntries([...value].map(([key, item]) => [String(key), plain(item)]));
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'bigint') return Number(value);
  if (value === null || typeof value !== 'object') return value;
  throw new Error(`no JSON: ${String(value)}`);
}
