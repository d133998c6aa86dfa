import { NamedError } from '../../util/named-error.ts';
/** Counterpart of a setting of puppet.conf. */
export type Translation =
  /** Keys of the file of `understudy server --config`. */
  | { readonly kind: 'setting'; readonly keys: Readonly<Record<string, string | number | boolean>> }
  /** The operator's step in its place. */
  | { readonly kind: 'step'; readonly text: string }
  /** Nothing to do, and why. */
  | { readonly kind: 'ignored'; readonly reason: string };

/** The setting cannot be translated as it is; the message says why. */
export class InvalidConfValue extends NamedError {}

export const ignored = (reason: string): Translation => ({ kind: 'ignored', reason });
export const operatorStep = (text: string): Translation => ({ kind: 'step', text });
export const setting = (keys: Readonly<Record<string, string | number | boolean>>): Translation => ({
  kind: 'setting',
  keys,
});
export const because = (reason: string) => (): Translation => ignored(reason);

/** Reasons that settings of several files have. */
export const IN_DATA_DIRECTORY = 'the data directory (data) has it';
export const OF_LOG = 'the server prints to standard output; requests go to the file of access-log';
