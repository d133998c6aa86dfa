import { NamedError } from '../../util/named-error.ts';
/** The code id, or prefix of one, matches none or several of the environment's history. */
export class NoSuchCode extends NamedError {}
