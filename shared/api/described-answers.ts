import type { components, operations } from './openapi.d.ts';

/** A schema of `docs/openapi.yaml`. */
export type ApiSchema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** The JSON that an operation of `docs/openapi.yaml` answers with when it succeeds. */
export type AnswerOf<Id extends keyof operations> = JsonOf<operations[Id]>;

/** The JSON body of an operation's 200 response; `unknown` when it has none. */
export type JsonOf<Operation> = Operation extends {
  readonly responses: { readonly 200: { readonly content: { readonly 'application/json': infer Json } } };
}
  ? Json
  : unknown;
