import { hideLogins } from '../../util/hide-logins.ts';

/** Error for an unusable setting of a source, or line of a Puppetfile; the message says why. */
export class InvalidSource extends Error {
  constructor(message: string) {
    super(hideLogins(message));
    this.name = 'InvalidSource';
  }
}

const LONGEST_URL = 2000;
const LONGEST_REF = 250;
/** Schemes that git may use; `ext::` and the like run programs. */
const URL_FORM = /^(https?|ssh|git|file):\/\/[^\s\\]+$/;
/** `user@host:path`, as ssh has it. */
const SCP_FORM = /^[\w][\w.-]*@[\w][\w.-]*:[\w~/.][^\s\\]*$/;
const CONTROL = /\p{Cc}/u;

/**
 * Returns `url` if it is the URL of a git repository. Throws InvalidSource for other text, also for
 * a URL that git could take for an option or a program.
 */
export function readGitUrl(url: string): string {
  const isUrl = url.length <= LONGEST_URL && !CONTROL.test(url) && (URL_FORM.test(url) || SCP_FORM.test(url));
  if (isUrl && !/^(ssh|git|https?):\/\/-/.test(url) && !url.includes('@-')) return url;
  throw new InvalidSource(
    `'${hideLogins(url).slice(0, 200)}' is no URL of a git repository: https://, http://, ssh://, git://, file:// or user@host:path`,
  );
}

/** Returns the name of a branch, tag or commit (git: check-ref-format), or throws InvalidSource. */
export function readGitRef(ref: string): string {
  const isRef =
    ref.length <= LONGEST_REF &&
    /^[^\s~^:?*[\\\p{Cc}-][^\s~^:?*[\\\p{Cc}]*$/u.test(ref) &&
    !/\.\.|@\{|\/\/|\/$|\.$|\.lock$|(^|\/)\./.test(ref);
  if (isRef) return ref;
  throw new InvalidSource(`'${ref.slice(0, 200)}' is no name of a branch, a tag or a commit`);
}
