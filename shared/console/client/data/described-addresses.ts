import type { JsonOf } from '../../../api/described-answers.ts';
import type { paths } from '../../../api/openapi.d.ts';

/** A path with any text in place of each parameter. */
type Filled<Path extends string> = Path extends `${infer Begin}{${string}}${infer End}`
  ? `${Begin}${string}${Filled<End>}`
  : Path;

/** An address without its query. */
type PathOf<Address extends string> = Address extends `${infer Path}?${string}` ? Path : Address;

type AnyPath = { [Path in keyof paths]: Filled<Path> }[keyof paths];

/** An address that `docs/openapi.yaml` describes. */
export type DescribedAddress = AnyPath | `${AnyPath}?${string}`;

/** The JSON of a successful answer, as `docs/openapi.yaml` describes it. */
export type DescribedAnswer<Address extends string, Method extends string> = {
  [Path in keyof paths]: [PathOf<Address>, Filled<Path>] extends [Filled<Path>, PathOf<Address>]
    ? JsonOf<paths[Path][Lowercase<Method> & keyof paths[Path]]>
    : never;
}[keyof paths];
