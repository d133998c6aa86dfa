/**
 * A user-visible message of Puppet's issue catalogue (lib/puppet/pops/issues.rb): its code and how
 * it is worded.
 */
export interface Issue<Args> {
  readonly code: string;
  readonly message: (args: Args) => string;
}

export function issue<Args>(code: string, message: (args: Args) => string): Issue<Args> {
  return { code, message };
}
